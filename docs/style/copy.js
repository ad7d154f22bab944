// A button on each block of code that copies what one types: without prompts, and without what is printed.
const PROMPT = /^(\$|>>>|\.\.\.)( |$)/;

document.addEventListener("DOMContentLoaded", () => {
  for (const block of document.querySelectorAll("div.highlight")) {
    const code = block.querySelector("pre");
    const button = document.createElement("button");
    button.className = "copy";
    button.type = "button";
    button.textContent = "Copy";
    button.setAttribute("aria-label", "Copy this code");
    button.addEventListener("click", async () => {
      const lines = code.textContent.replace(/\n$/, "").split("\n");
      const typed = lines.filter((line) => PROMPT.test(line)).map((line) => line.replace(PROMPT, ""));
      await navigator.clipboard.writeText((typed.length ? typed : lines).join("\n"));
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    });
    block.append(button);
  }
});
