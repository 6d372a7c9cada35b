import { json, jsonParseLinter } from "@codemirror/lang-json";
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { linter, lintGutter } from "@codemirror/lint";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { basicSetup } from "codemirror";
import { useEffect, useRef } from "react";

/** Readable in both themes. */
const COLOURS = HighlightStyle.define([
  { tag: tags.propertyName, color: "var(--foreground)", fontWeight: "600" },
  { tag: tags.string, color: "var(--success)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--pen-text)" },
]);

interface JsonEditorProps {
  value: string;
  labelledBy: string;
  describedBy: string;
  onChange: (text: string) => void;
}

/**
 * A JSON editor that marks mistakes at their line. It lives in a shadow tree,
 * where its styles need no style element, which the content security policy
 * would refuse.
 */
export function JsonEditor({ value, labelledBy, describedBy, onChange }: JsonEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const latest = useRef(onChange);
  latest.current = onChange;
  const first = useRef(value);

  useEffect(() => {
    const element = host.current;
    if (!element) {
      return;
    }
    const root = element.shadowRoot ?? element.attachShadow({ mode: "open", delegatesFocus: true });
    const label = document.getElementById(labelledBy)?.textContent ?? "JSON";
    const view = new EditorView({
      doc: first.current,
      root,
      parent: root,
      extensions: [
        basicSetup,
        json(),
        syntaxHighlighting(COLOURS),
        linter(jsonParseLinter()),
        lintGutter(),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ "aria-label": label, "aria-multiline": "true" }),
        EditorView.theme({
          "&": { maxHeight: "420px", minHeight: "220px", fontSize: "14px", color: "inherit" },
          ".cm-scroller": {
            overflow: "auto",
            fontFamily: "ui-monospace, Menlo, Consolas, monospace",
            minHeight: "220px",
          },
          ".cm-gutters": { backgroundColor: "transparent", color: "inherit", borderRight: "1px solid var(--border)" },
          ".cm-content": { caretColor: "currentColor" },
          // The editor's own marks are data: pictures, which the policy refuses.
          ".cm-lintRange-error": {
            backgroundImage: "none !important",
            textDecoration: "underline wavy var(--destructive)",
          },
          ".cm-lint-marker-error": {
            content: "none !important",
            borderRadius: "50%",
            backgroundColor: "var(--destructive)",
            width: ".7em",
            height: ".7em",
          },
          ".cm-activeLine, .cm-activeLineGutter": {
            backgroundColor: "color-mix(in srgb, currentColor 6%, transparent)",
          },
        }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) {
            latest.current(update.state.doc.toString());
          }
        }),
      ],
    });
    // Lines are measured again when the styles and the font are there.
    void document.fonts.ready.then(() => requestAnimationFrame(() => view.requestMeasure()));
    return () => view.destroy();
  }, [labelledBy]);

  return <div ref={host} className="a-editor" data-describedby={describedBy} />;
}
