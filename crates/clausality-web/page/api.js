// Documents and answers. How they travel is the door's business: `send` takes { method, path, type, body, signal } and gives { status, text }. A
// refusal is an error with the words it came with.

export function makeApi(send) {
  async function answer(request) {
    const { status, text } = await send(request);
    if (status < 300) return text;
    let why = null;
    try {
      why = JSON.parse(text).error;
    } catch {
      // No words came with it.
    }
    throw Object.assign(new Error(why ?? `the explorer answered ${status}`), { status });
  }
  const text = (path) => answer({ method: 'GET', path });
  const post = async (path, type, body, signal) => JSON.parse(await answer({ method: 'POST', path, type, body, signal }));
  return {
    text,
    json: async (path) => JSON.parse(await text(path)),
    erase: async (path) => JSON.parse(await answer({ method: 'DELETE', path })),
    // A signal calls the question off, where the door can.
    ask: (path, question, signal) => post(path, 'application/json', JSON.stringify(question), signal),
    codeRows: (csv) => post('/api/rows', 'text/csv', csv),
  };
}
