import { valibotResolver } from "@hookform/resolvers/valibot";
import { useQuery } from "@tanstack/react-query";
import { useState, useSyncExternalStore } from "react";
import { useForm } from "react-hook-form";
import { Navigate, useNavigate } from "react-router";
import * as v from "valibot";
import { Mark } from "../../drawing/mark";
import { toast } from "../../ui/toast";
import { roleOf } from "../admin-watch";
import { messageOf, understood } from "../client";
import { useConsole } from "../context";
import { Field, PasswordField } from "../frame/field";
import { Loading } from "../frame/states";
import { useReturn } from "./return";
import { SecondStep } from "./second-step";

const Credentials = v.object({
  email: v.pipe(
    v.string(),
    v.trim(),
    v.nonEmpty("Enter your email address."),
    v.regex(/^[^\s@]+@[^\s@]+$/, "This is not an email address."),
  ),
  password: v.pipe(v.string(), v.nonEmpty("Enter your password.")),
});

export function LoginPage() {
  const { client, watch } = useConsole();
  const access = useSyncExternalStore(watch.subscribe, watch.current);
  const navigate = useNavigate();
  const [next, setNext] = useState("/admin");
  const { register, handleSubmit, formState } = useForm({
    resolver: valibotResolver(Credentials),
    defaultValues: { email: "", password: "" },
  });
  useReturn(access.state === "none");

  if (access.state === "loading") {
    return <Loading />;
  }
  // A sign-in that is just being checked answers for itself.
  if ((access.state === "admin" || access.state === "viewer") && !formState.isSubmitting) {
    return <Navigate to={next} replace />;
  }

  async function signIn(credentials: v.InferOutput<typeof Credentials>) {
    const { data, error } = await client.auth.signInWithPassword(credentials);
    if (error) {
      // The client hides what a server fault says.
      const text = error.message === "{}" ? "The server can't be reached. Please try again." : error.message;
      toast({ title: "Login Failed", text, destructive: true });
      return;
    }
    if (data.user.app_metadata.needs_second_factor === true) {
      return; // the watch sees it, too
    }
    const role = await roleOf(client, data.user.id).catch((problem: unknown) => {
      toast({ title: "Login Failed", text: messageOf(problem), destructive: true });
      return "unknown";
    });
    if (role === "unknown") {
      return;
    }
    if (!role) {
      await client.auth.signOut({ scope: "local" });
      toast({ title: "Access Denied", text: "You do not have admin privileges", destructive: true });
      return;
    }
    toast({ title: "Login Successful", text: "Welcome back." });
    navigate("/admin", { replace: true });
  }

  const { email, password } = formState.errors;
  return (
    <main id="main" className="a-login">
      <div className="a-login-card">
        <a className="logo" href="/" aria-label="The public site">
          <Mark />
          <span>{document.documentElement.dataset.brand}</span>
        </a>
        {access.state === "second-factor" ? (
          <SecondStep onSetUp={() => setNext("/admin/account")} />
        ) : (
          <>
            <h1>Admin sign-in</h1>
            <form className="a-login-form" noValidate onSubmit={handleSubmit(signIn)}>
              <Field
                id="email"
                label="Email"
                type="email"
                autoComplete="username"
                problem={email?.message}
                {...register("email")}
              />
              <PasswordField id="password" label="Password" problem={password?.message} {...register("password")} />
              <button type="submit" className="btn btn-primary btn-lg" aria-disabled={formState.isSubmitting}>
                {formState.isSubmitting ? "Signing in…" : "Sign in"}
              </button>
            </form>
            <Provider />
          </>
        )}
      </div>
    </main>
  );
}

const Settings = v.object({ external: v.object({ oidc: v.boolean() }), oidc_name: v.string() });

/** The way through the company's identity provider, where there is one. */
function Provider() {
  const { client } = useConsole();
  const { data } = useQuery({
    queryKey: ["sign-in-settings"],
    queryFn: async () => understood(Settings, await (await fetch("/auth/v1/settings")).json()),
  });
  if (!data?.external.oidc) {
    return null;
  }
  async function go() {
    const { error } = await client.auth.signInWithOAuth({ provider: "oidc" as "keycloak" });
    if (error) {
      toast({ title: "Login Failed", text: error.message, destructive: true });
    }
  }
  return (
    <button type="button" className="btn btn-outline btn-lg" onClick={() => void go()}>
      Sign in with {data.oidc_name}
    </button>
  );
}
