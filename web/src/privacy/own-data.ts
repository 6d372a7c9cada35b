import { CallError } from "../api/call-error";
import type { Calls } from "../api/calls";
import type { OwnData } from "../api/shapes";

type OwnDataCalls = Pick<Calls, "ownData" | "eraseOwnData">;

/** Shows everything about the owner of a mailed link, to be downloaded and deleted. */
export async function showOwnData(page: HTMLElement, calls: OwnDataCalls, token: string): Promise<void> {
  const found = page.querySelector<HTMLElement>("[data-found]");
  const dialog = page.querySelector<HTMLDialogElement>("[data-confirm]");
  if (!found || !dialog) {
    return;
  }
  if (token === "") {
    found.replaceChildren(lead("This page opens with the link that we mail to you."), askAgain());
    return;
  }
  try {
    const data = await calls.ownData(token);
    if (nothing(data)) {
      found.replaceChildren(lead(`We keep nothing about ${data.email}.`));
      return;
    }
    const download = button("Download all of it", "btn btn-primary btn-lg", () => save(data));
    const erase = button("Delete all of it", "btn btn-outline btn-lg", () => dialog.showModal());
    const row = element("div", "row");
    row.append(download, erase);
    found.replaceChildren(lead(`This is what we keep about ${data.email}.`), ...parts(data), row);
    dialog.addEventListener("close", async () => {
      if (dialog.returnValue === "delete") {
        await remove(found, calls, token, data.email);
      }
    });
  } catch (problem) {
    found.replaceChildren(lead(words(problem)), askAgain());
  }
}

async function remove(found: HTMLElement, calls: OwnDataCalls, token: string, email: string): Promise<void> {
  found.replaceChildren(lead("Deleting…"));
  try {
    const { sessions, contactMessages, letters } = await calls.eraseOwnData(token);
    const gone = [count(sessions, "run"), count(contactMessages, "message"), count(letters, "letter")].join(", ");
    found.replaceChildren(lead(`Deleted: ${gone}. We keep nothing about ${email} any more.`));
  } catch (problem) {
    found.replaceChildren(lead(words(problem)), askAgain());
  }
}

const nothing = (data: OwnData) => data.sessions.length + data.contact_messages.length + data.letters.length === 0;

function parts(data: OwnData): HTMLElement[] {
  return [
    part(
      count(data.sessions.length, "run"),
      data.sessions.map((run) => `${day(run.started_at)}: ${run.scenario}, ${count(run.messages.length, "message")}`),
    ),
    part(
      count(data.contact_messages.length, "contact message"),
      data.contact_messages.map((message) => `${day(message.received_at)}: ${message.message}`),
    ),
    part(
      count(data.letters.length, "letter"),
      data.letters.map((letter) => `${day(letter.created_at)}: ${LETTER[letter.kind] ?? letter.kind}, ${letter.state}`),
    ),
  ].filter((section) => section.querySelector("li") !== null);
}

const LETTER: Record<string, string> = { report: "a report", personal: "a link to this page" };

function part(title: string, lines: string[]): HTMLElement {
  const section = element("section", "own-data-part");
  const list = element("ul", "");
  list.append(...lines.map((line) => element("li", "", line)));
  section.append(element("h2", "", title), list);
  return section;
}

function save(data: OwnData): void {
  const address = URL.createObjectURL(new Blob([JSON.stringify(data, null, 2)], { type: "application/json" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = "my-data.json";
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

const words = (problem: unknown) =>
  problem instanceof CallError && problem.code === "link_expired"
    ? problem.message
    : "We could not reach the server. Please reload the page in a moment.";

const count = (n: number, what: string) => `${n} ${what}${n === 1 ? "" : "s"}`;
const day = (moment: string) => new Date(moment).toLocaleDateString("en-GB", { dateStyle: "long" });
const lead = (text: string) => element("p", "lead", text);

function askAgain(): HTMLElement {
  const line = element("p", "");
  const link = document.createElement("a");
  link.href = "/privacy#your-data";
  link.textContent = "Ask for a new link";
  line.append(link);
  return line;
}

function button(text: string, className: string, act: () => void): HTMLButtonElement {
  const made = document.createElement("button");
  made.type = "button";
  made.className = className;
  made.textContent = text;
  made.addEventListener("click", act);
  return made;
}

function element(tag: string, className: string, text = ""): HTMLElement {
  const made = document.createElement(tag);
  if (className !== "") {
    made.className = className;
  }
  made.textContent = text;
  return made;
}
