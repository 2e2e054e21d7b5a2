// The form that takes documents: pasted, chosen or dropped.
import { read, request } from "./api.js";
import { $, element } from "./dom.js";
import * as session from "./session.js";

const PATIENCE = 3000; // milliseconds after which the reader is told how long it has been
let retry = null;
let running = null;

export function complain(message) {
  $("problem").textContent = message;
  $("problem").hidden = !message;
}

// Do something that may fail; a server that wants a token is asked again with one.
export async function attempt(action) {
  running?.abort();
  const own = (running = new AbortController());
  complain("");
  say("Reading …");
  $("busy").hidden = false;
  $("go").disabled = true;
  const began = Date.now();
  const clock = setInterval(() => {
    const seconds = Math.round((Date.now() - began) / 1000);
    if (1000 * seconds >= PATIENCE && $("sent").hidden) say(`Reading … ${seconds} seconds`);
  }, 1000);
  try {
    await action(own.signal);
  } catch (error) {
    if (own !== running) return;
    complain(error.name === "AbortError" ? "" : error.message);
    if (error.status === 401) {
      $("key").hidden = false;
      $("token").focus();
      retry = action;
    }
  } finally {
    clearInterval(clock);
    if (own === running) {
      $("busy").hidden = $("sent").hidden = true;
      $("go").disabled = false;
    }
  }
}

function say(message) {
  $("doing").textContent = message;
}

function showProgress(files, share) {
  const what = files.length === 1 ? files[0].name : files.length ? `${files.length} files` : "the text";
  $("sent").hidden = share >= 1;
  $("sent").value = share;
  say(share < 1 ? `Sending ${what}: ${Math.round(100 * share)} %` : `Reading ${what} …`);
}

// Send what was given; `open` gets what the server read.
function send(files, open) {
  const text = $("text").value;
  if (!files.length && !text.trim()) {
    complain("Paste a text or choose a file first.");
    return null;
  }
  return attempt(async (signal) => open(await read(files, text, { signal, progress: (share) => showProgress(files, share) })));
}

export function showEarlier() {
  const documents = session.documents();
  $("earlier").hidden = !documents.length;
  $("earlier").querySelector("ul").replaceChildren(
    ...documents.map(({ id, title }) => {
      const forget = element("button", { type: "button", className: "quiet", ariaLabel: `Forget ${title}` }, "Forget");
      forget.addEventListener("click", () => {
        request(`v1/readings/${id}`, { method: "DELETE" }).catch(() => {});
        session.forget(id);
        showEarlier();
      });
      return element("li", {}, element("a", { href: session.addressOf(id) }, title), forget);
    }),
  );
}

// Take documents from now on: `begin` is called before one is sent, `open` with what the server read; `tries` are what
// to do with the sample when it is open.
export function listen(open, tries, begin) {
  $("text").value = session.draft.load();
  window.addEventListener("pagehide", () => session.draft.save($("text").value));
  $("cancel").addEventListener("click", () => running?.abort());
  $("ask").addEventListener("submit", (event) => {
    event.preventDefault();
    send([], open);
  });
  $("file").addEventListener("change", () => {
    if ($("file").files.length) send([...$("file").files], open);
    $("file").value = "";
  });
  for (const button of document.querySelectorAll(".try")) {
    button.addEventListener("click", () =>
      attempt(async (signal) => {
        const sample = new File([await (await request("static/sample.md", { signal })).blob()], "sample.md");
        open(await read([sample], "", { signal, progress: (share) => showProgress([sample], share) }));
        tries[button.dataset.try]?.(button);
      }),
    );
  }
  $("key").addEventListener("submit", (event) => {
    event.preventDefault();
    sessionStorage.setItem("token", $("token").value);
    $("key").hidden = true;
    attempt(retry);
  });
  window.addEventListener("dragover", (event) => {
    event.preventDefault();
    $("veil").hidden = false;
  });
  window.addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) $("veil").hidden = true;
  });
  window.addEventListener("drop", (event) => {
    event.preventDefault();
    $("veil").hidden = true;
    if (!event.dataTransfer.files.length) return;
    begin();
    send([...event.dataTransfer.files], open);
  });
}
