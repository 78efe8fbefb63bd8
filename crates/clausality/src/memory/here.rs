//! How much memory there is: what the user says, and what the machine, a container and the shell's limits leave.
//!
//! Linux tells in files: `/proc/meminfo`, `/proc/self/limits` (`RLIMIT_AS`, the shell's `ulimit -v`), `/proc/self/cgroup` with the
//! limits of control groups of both versions, `/proc/self/status`. Where these are missing only the user's word counts.

use super::GRACE;
use crate::words::readable_size;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What a process holds of a limit of its control group beside its work.
const SPARE: u64 = 64 << 20;

/// So close to the end of the address space the next allocation may fail, which nobody could answer.
const LAST_ADDRESSES: u64 = 16 << 20;

/// The addresses beside those of the program that any work takes: stacks, what is set aside for threads, and these last.
const FIRST_ADDRESSES: u64 = 48 << 20;

/// An address space below this is soon spent by what glibc sets aside: 64 MiB for each of up to eight arenas a core, and twice
/// that while it does so.
const SCARCE_ADDRESSES: u64 = 4 << 30;

/// What work took more of than it may.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Excess {
    /// Resident memory: what was taken.
    Memory(u64),
    /// Addresses, of which memory that is only set aside takes some too.
    Addresses { mapped: u64, all: u64 },
}

/// The address space there is and the least that any work takes, where it is too small.
pub(super) fn too_few_addresses() -> Option<(u64, u64)> {
    Surroundings::of(Path::new("/")).too_few_addresses()
}

/// Whether the address space is so small that no thread may set any of it aside for itself.
pub fn addresses_are_scarce() -> bool {
    Surroundings::of(Path::new("/")).address_space.is_some_and(|all| all < SCARCE_ADDRESSES)
}

/// Resident memory at the beginning of work: what was there before is not counted against it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Held(u64);

impl Held {
    /// What is resident now.
    pub fn now() -> Self {
        Held(Usage::now().map_or(0, |usage| usage.resident))
    }
}

/// What is resident now: where work begins with reading its options, this is measured first.
impl Default for Held {
    fn default() -> Self {
        Held::now()
    }
}

/// The memory that work may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    /// Bytes.
    pub bytes: u64,
    /// Who says so.
    pub set_by: SetBy,
    held: Held,
    /// All memory there is, if that is known.
    machine: Option<u64>,
    address_space: Option<u64>,
}

/// Who sets a limit on memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SetBy {
    /// The user: `memory-limit`.
    User,
    /// Half of the machine's memory, where the user says nothing.
    Half,
    /// A control group, such as a container's.
    Group,
    /// The address space that the shell leaves: `ulimit -v`.
    AddressSpace,
    /// Nobody: nothing is known of the machine.
    Nobody,
}

impl Room {
    /// What may be taken here: at most the user's limit, where there is one.
    pub fn here(limit: Option<u64>, held: Held) -> Self {
        Surroundings::of(Path::new("/")).room(limit, held)
    }

    /// So many bytes, whatever the machine has.
    pub fn of(bytes: u64) -> Self {
        let set_by = SetBy::User;
        Room { bytes, set_by, held: Held::now(), machine: None, address_space: None }
    }

    /// Whether a user who allows so much would be heard.
    pub(super) fn could_be(&self, bytes: u64) -> bool {
        matches!(self.set_by, SetBy::User | SetBy::Half) && self.machine.is_none_or(|all| bytes <= all)
    }

    /// What may come on top of it. Where addresses end nothing may: an allocation that fails ends the program.
    pub(super) fn grace(&self) -> u64 {
        if self.set_by == SetBy::AddressSpace { 0 } else { GRACE }
    }

    /// How often what is taken is looked at. Pages are taken at some 2 GiB a second: 20 MiB in 10 ms. Addresses are taken faster.
    pub(super) fn look(&self) -> Duration {
        Duration::from_millis(if self.address_space.is_some() { 1 } else { 10 })
    }

    /// Whether what is taken can be seen here.
    pub(super) fn is_watchable(&self) -> bool {
        Usage::now().is_some()
    }

    /// What is left of it now.
    pub fn left(&self) -> u64 {
        self.bytes.saturating_add(self.grace()).saturating_sub(self.taken())
    }

    /// What is taken now.
    pub(super) fn taken(&self) -> u64 {
        Usage::now().map_or(0, |usage| usage.resident.saturating_sub(self.held.0))
    }

    /// What was taken, if that is more than may be.
    pub(super) fn exceeded(&self) -> Option<Excess> {
        let Usage { resident, mapped } = Usage::now()?;
        let taken = resident.saturating_sub(self.held.0);
        if taken > self.bytes.saturating_add(GRACE) {
            return Some(Excess::Memory(taken));
        }
        let all = self.address_space.filter(|all| mapped > all.saturating_sub(LAST_ADDRESSES))?;
        Some(Excess::Addresses { mapped, all })
    }
}

/// `512 MiB (half of this machine's memory)`.
impl fmt::Display for Room {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = readable_size(self.bytes);
        match self.set_by {
            SetBy::User | SetBy::Nobody => write!(f, "{size}"),
            SetBy::Half => write!(f, "{size} (half of this machine's memory)"),
            SetBy::Group => write!(f, "{size} (what the control group or container leaves)"),
            SetBy::AddressSpace => write!(f, "{size} (half of the address space that ulimit -v leaves)"),
        }
    }
}

/// What a process has now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Usage {
    resident: u64,
    mapped: u64,
}

impl Usage {
    fn now() -> Option<Self> {
        Usage::in_status(&fs::read_to_string("/proc/self/status").ok()?)
    }

    fn in_status(status: &str) -> Option<Self> {
        Some(Usage { resident: kilobytes(status, "VmRSS:")?, mapped: kilobytes(status, "VmSize:")? })
    }
}

/// A line such as `VmRSS:     1234 kB`.
fn kilobytes(text: &str, name: &str) -> Option<u64> {
    let rest = text.lines().find_map(|line| line.strip_prefix(name))?;
    rest.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// What bounds a process from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Surroundings {
    machine: Option<u64>,
    group: Option<u64>,
    address_space: Option<u64>,
    mapped: u64,
}

impl Surroundings {
    /// As the files under a root tell.
    fn of(root: &Path) -> Self {
        let text = |path: &str| fs::read_to_string(root.join(path)).unwrap_or_default();
        Surroundings {
            machine: kilobytes(&text("proc/meminfo"), "MemTotal:"),
            group: group_limit(root, &text("proc/self/cgroup")),
            address_space: address_space(&text("proc/self/limits")),
            mapped: kilobytes(&text("proc/self/status"), "VmSize:").unwrap_or(0),
        }
    }

    fn too_few_addresses(&self) -> Option<(u64, u64)> {
        let needed = self.mapped.saturating_add(FIRST_ADDRESSES);
        self.address_space.filter(|&all| all < needed).map(|all| (all, needed))
    }

    fn room(&self, limit: Option<u64>, held: Held) -> Room {
        let machine = [self.machine, self.group].into_iter().flatten().min();
        let asked = limit.map(|bytes| (bytes, SetBy::User));
        let half = machine.map(|bytes| (bytes / 2, SetBy::Half));
        let first = asked.or(half).unwrap_or((u64::MAX, SetBy::Nobody));
        let group = self.group.map(|bytes| (bytes.saturating_sub(SPARE).max(bytes / 2), SetBy::Group));
        // Stacks, and what allocators set aside for each thread, take addresses without taking memory.
        let left = |bytes: u64| (bytes.saturating_sub(self.mapped) / 2, SetBy::AddressSpace);
        let bounds = [group, self.address_space.map(left)].into_iter().flatten();
        let (bytes, set_by) =
            bounds.fold(first, |least, bound| if bound.0 < least.0 { bound } else { least });
        Room { bytes, set_by, held, machine, address_space: self.address_space }
    }
}

/// The soft limit of `Max address space  unlimited  unlimited  bytes`.
fn address_space(limits: &str) -> Option<u64> {
    let rest = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    rest.split_whitespace().next()?.parse().ok()
}

/// The least limit of the process's control groups and of those they are in. Lines are `0::/a/b` (version 2) and
/// `7:cpu,memory:/a/b` (version 1); a container may show its own group as the root.
fn group_limit(root: &Path, groups: &str) -> Option<u64> {
    let limits = groups.lines().filter_map(|line| {
        let (controllers, group) = line.split_once(':')?.1.split_once(':')?;
        let (mount, file) = match controllers {
            "" => ("sys/fs/cgroup", "memory.max"),
            names if names.split(',').any(|name| name == "memory") => {
                ("sys/fs/cgroup/memory", "memory.limit_in_bytes")
            }
            _ => return None,
        };
        let mount = root.join(mount);
        let own: PathBuf = mount.join(group.trim_start_matches('/'));
        let on_the_way = own.ancestors().take_while(|folder| folder.starts_with(&mount));
        on_the_way.filter_map(|at| fs::read_to_string(at.join(file)).ok()?.trim().parse::<u64>().ok()).min()
    });
    limits.min()
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIB: u64 = 1 << 30;

    fn machine(files: &[(&str, &str)]) -> Surroundings {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        Surroundings::of(root.path())
    }

    const MEMORY: (&str, &str) = ("proc/meminfo", "MemTotal:       16777216 kB\nMemFree:  5 kB\n");

    fn room(files: &[(&str, &str)], limit: Option<u64>) -> (u64, SetBy) {
        let room = machine(files).room(limit, Held(0));
        (room.bytes, room.set_by)
    }

    #[test]
    fn half_of_the_memory_unless_somebody_says_more_or_less() {
        assert_eq!(room(&[], None), (u64::MAX, SetBy::Nobody));
        assert_eq!(room(&[MEMORY], None), (8 * GIB, SetBy::Half));
        assert_eq!(room(&[MEMORY], Some(12 * GIB)), (12 * GIB, SetBy::User));
        assert_eq!(room(&[MEMORY], Some(1000)), (1000, SetBy::User));
    }

    #[test]
    fn containers_of_both_versions_are_heard() {
        let two = [
            MEMORY,
            ("proc/self/cgroup", "0::/user/job\n"),
            ("sys/fs/cgroup/user/memory.max", "4294967296\n"),
            ("sys/fs/cgroup/user/job/memory.max", "max\n"),
        ];
        assert_eq!(room(&two, None), (2 * GIB, SetBy::Half), "half of what the container has");
        assert_eq!(room(&two, Some(12 * GIB)), (4 * GIB - SPARE, SetBy::Group));
        let one = [
            MEMORY,
            ("proc/self/cgroup", "9:cpu:/a\n7:hugetlb,memory:/docker/abc\n"),
            // The container sees its own group as the root.
            ("sys/fs/cgroup/memory/memory.limit_in_bytes", "1073741824\n"),
        ];
        assert_eq!(room(&one, None), (GIB / 2, SetBy::Half));
        let unlimited = [one[0], one[1], (one[2].0, "9223372036854771712\n")];
        assert_eq!(room(&unlimited, None), (8 * GIB, SetBy::Half));
    }

    #[test]
    fn the_address_space_is_heard() {
        let limits = "Limit                     Soft Limit           Hard Limit           Units\n\
             Max address space         1073741824           unlimited            bytes\n";
        let files = [
            MEMORY,
            ("proc/self/limits", limits),
            ("proc/self/status", "VmSize:\t   65536 kB\nVmRSS:\t 9 kB\n"),
        ];
        assert_eq!(room(&files, None), ((GIB - (64 << 20)) / 2, SetBy::AddressSpace));
        assert_eq!(room(&files, Some(5000)), (5000, SetBy::User));
        assert_eq!(machine(&files).too_few_addresses(), None);
        let small = limits.replace("1073741824", "100000000");
        let short = machine(&[MEMORY, ("proc/self/limits", &small), files[2]]).too_few_addresses();
        assert_eq!(short, Some((100_000_000, 112 << 20)));
        let unlimited = limits.replace("1073741824", "unlimited ");
        assert_eq!(room(&[MEMORY, ("proc/self/limits", &unlimited)], None), (8 * GIB, SetBy::Half));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_is_taken_is_seen() {
        let before = Held::now();
        let taken = vec![1u8; 400 << 20];
        let room = |bytes| Room { held: before, ..Room::of(bytes) };
        // Other tests take and give back meanwhile.
        assert!(
            room(1 << 20)
                .exceeded()
                .is_some_and(|excess| matches!(excess, Excess::Memory(bytes) if bytes > 200 << 20))
        );
        assert_eq!(room(64 * GIB).exceeded(), None);
        assert!(taken.iter().all(|&byte| byte == 1));
    }
}
