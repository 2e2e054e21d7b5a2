// What the page asks of the server, and what it hands to the reader to keep.

const UNREACHABLE = "The server cannot be reached.";

function authorization() {
  const token = sessionStorage.getItem("token");
  return token ? { Authorization: `Bearer ${token}` } : {};
}

function failure(status, body) {
  let { error, hint } = { error: `The server answered ${status}.` };
  try {
    ({ error, hint } = JSON.parse(body));
  } catch {
    // A proxy's page: the status says all there is.
  }
  return Object.assign(new Error(hint ? `${error} ${hint}` : error), { status });
}

// Ask; a status that is not good becomes an Error with the server's sentence.
export async function request(path, options = {}) {
  let response;
  try {
    response = await fetch(path, { ...options, headers: { ...options.headers, ...authorization() } });
  } catch (error) {
    throw error.name === "AbortError" ? error : new Error(UNREACHABLE);
  }
  if (response.ok) return response;
  throw failure(response.status, await response.text());
}

// Send files, or a text, to be read; `progress` gets the share that was sent. Only XMLHttpRequest tells.
export function read(files, text, { progress, signal }) {
  const body = files.length ? new FormData() : JSON.stringify({ text });
  for (const file of files) body.append("file", file, file.name);
  const sending = new XMLHttpRequest();
  sending.open("POST", "v1/readings");
  if (!files.length) sending.setRequestHeader("Content-Type", "application/json");
  for (const [name, value] of Object.entries(authorization())) sending.setRequestHeader(name, value);
  return new Promise((resolve, reject) => {
    sending.upload.onprogress = ({ loaded, total }) => progress(loaded / total);
    sending.upload.onload = () => progress(1);
    sending.onload = () => {
      if (sending.status === 200) resolve(JSON.parse(sending.responseText));
      else reject(failure(sending.status, sending.responseText));
    };
    sending.onerror = () => reject(new Error(UNREACHABLE));
    sending.onabort = () => reject(new DOMException("Cancelled.", "AbortError"));
    signal.addEventListener("abort", () => sending.abort());
    sending.send(body);
  });
}

// Save what an address answers as a file; gives its name.
export async function download(path) {
  const response = await request(path);
  const name = /filename="([^"]+)"/.exec(response.headers.get("content-disposition") ?? "")?.[1] ?? "summary";
  const url = URL.createObjectURL(await response.blob());
  const link = Object.assign(document.createElement("a"), { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
  return name;
}

export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Without https the clipboard is closed to pages; the old way still works.
    const area = Object.assign(document.createElement("textarea"), { value: text, className: "sr" });
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}
