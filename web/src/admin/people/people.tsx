import { valibotResolver } from "@hookform/resolvers/valibot";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Download, Trash2 } from "lucide-react";
import { useState } from "react";
import { useForm } from "react-hook-form";
import { Link } from "react-router";
import * as v from "valibot";
import { Erased } from "../../api/shapes";
import { toast } from "../../ui/toast";
import { invoke, messageOf } from "../client";
import { useConsole } from "../context";
import { Confirm } from "../frame/confirm";
import { longDate } from "../frame/format";
import { save } from "../frame/save";
import { Empty } from "../frame/states";
import { Person } from "../shapes";

const Search = v.object({
  email: v.pipe(
    v.string(),
    v.trim(),
    v.regex(/^[^\s@]+@[^\s@]+\.[^\s@]+$/, "Write the address like name@example.com."),
  ),
});

const count = (n: number, what: string) => `${n} ${what}${n === 1 ? "" : "s"}`;

/** What is kept about one mail address: to be handed out, or erased. */
export function PeoplePage() {
  const { client } = useConsole();
  const queries = useQueryClient();
  const [asking, setAsking] = useState(false);
  const { register, handleSubmit, formState } = useForm({
    resolver: valibotResolver(Search),
    defaultValues: { email: "" },
  });
  const find = useMutation({
    mutationFn: ({ email }: v.InferOutput<typeof Search>) => invoke(client, "admin-export-person", Person, { email }),
    onError: (problem) => toast({ title: "Error", text: messageOf(problem), destructive: true }),
  });
  const erase = useMutation({
    mutationFn: (email: string) => invoke(client, "admin-erase-person", Erased, { email }),
    onSuccess: ({ sessions, contactMessages, letters }) => {
      setAsking(false);
      find.reset();
      queries.removeQueries(); // lists and runs that were looked at
      toast({
        title: "Erased",
        text: `${count(sessions, "session")}, ${count(contactMessages, "contact message")} and ${count(letters, "letter")} are gone.`,
      });
    },
    onError: (problem) => toast({ title: "Error", text: messageOf(problem), destructive: true }),
  });
  const person = find.data;
  const problem = formState.errors.email?.message;
  return (
    <>
      <div className="a-head">
        <h1>Personal data</h1>
        <p className="a-quiet">What is kept about a person, by mail address</p>
      </div>
      <form
        className="a-panel a-find"
        noValidate
        aria-label="Find a person"
        onSubmit={handleSubmit((search) => find.isPending || find.mutate(search))}
      >
        <div className="field">
          <label htmlFor="person-email">Email</label>
          <input
            id="person-email"
            type="email"
            autoComplete="off"
            aria-invalid={problem !== undefined}
            aria-describedby="person-email-problem"
            {...register("email")}
          />
          <p id="person-email-problem" className="field-problem" role="alert">
            {problem}
          </p>
        </div>
        <button type="submit" className="btn btn-primary" aria-disabled={find.isPending}>
          {find.isPending ? "Looking…" : "Find"}
        </button>
      </form>
      {person && (
        <section className="a-panel" aria-labelledby="person-title" data-person="">
          <div className="a-panel-head">
            <h2 id="person-title">{person.email}</h2>
            <span className="a-quiet">
              {[
                count(person.sessions.length, "session"),
                count(person.contact_messages.length, "contact message"),
                count(person.letters.length, "letter"),
              ].join(", ")}
            </span>
          </div>
          {person.account && (
            <p className="a-note">
              This address signs in to the console. The account stays when the rest is erased: take it away with{" "}
              <code>simora admin</code>.
            </p>
          )}
          {person.sessions.length + person.contact_messages.length + person.letters.length === 0 ? (
            <Empty>Nothing is kept about this address.</Empty>
          ) : (
            <>
              <ul className="a-traces">
                {person.sessions.map((session) => (
                  <li key={session.id}>
                    <Link to={`/admin/sessions/${session.id}`}>{session.scenario}</Link>, {longDate(session.started_at)}
                  </li>
                ))}
                {person.contact_messages.map((message) => (
                  <li key={message.id}>Contact message, {longDate(message.received_at)}</li>
                ))}
                {person.letters.map((letter) => (
                  <li key={letter.id}>
                    Letter ({letter.kind}, {letter.state}), {longDate(letter.created_at)}
                  </li>
                ))}
              </ul>
              <div className="row">
                <button
                  type="button"
                  className="btn btn-outline"
                  onClick={() => save("person.json", JSON.stringify(person, null, 2), "application/json")}
                >
                  <Download size={16} strokeWidth={1.75} /> Export as JSON
                </button>
                <button type="button" className="btn btn-danger" onClick={() => setAsking(true)}>
                  <Trash2 size={16} strokeWidth={1.75} /> Erase everything
                </button>
              </div>
            </>
          )}
        </section>
      )}
      {asking && person && (
        <Confirm
          title="Erase everything about this person?"
          text={`${person.email}: runs, reports, messages and letters are deleted at once. A restored backup will not bring them back.`}
          action={erase.isPending ? "Erasing…" : "Erase"}
          busy={erase.isPending}
          onConfirm={() => erase.mutate(person.email)}
          onCancel={() => setAsking(false)}
        />
      )}
    </>
  );
}
