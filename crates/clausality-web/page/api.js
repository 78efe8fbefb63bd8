// Requests to the server this page came from. A refusal is an error with the server's words.

async function answer(path, options) {
  let response;
  try {
    response = await fetch(path, { credentials: 'same-origin', ...options });
  } catch {
    throw new Error('the explorer does not answer: was it ended?');
  }
  if (response.ok) return response;
  const why = await response.json().catch(() => ({}));
  throw new Error(why.error ?? `the explorer answered ${response.status}`);
}

export const json = async (path) => (await answer(path)).json();

export const text = async (path) => (await answer(path)).text();

const send = async (path, type, body) => (await answer(path, { method: 'POST', headers: { 'Content-Type': type }, body })).json();

export const ask = (path, question) => send(path, 'application/json', JSON.stringify(question));

export const codeRows = (csv) => send('/api/rows', 'text/csv', csv);
