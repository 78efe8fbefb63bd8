# Sourced by the studies: `peers FOLDER PACKAGE…` leaves a virtual environment with these packages from PyPI, and `python`
# names its interpreter.
peers() {
  local folder=$1
  shift
  python="$folder/bin/python"
  [ -x "$python" ] || python3 -m venv "$folder"
  if [ "$(cat "$folder/packages" 2>/dev/null)" != "$*" ]; then
    "$folder/bin/pip" install --quiet "$@"
    echo "$*" > "$folder/packages"
  fi
}
