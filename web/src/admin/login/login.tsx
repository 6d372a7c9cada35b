import { valibotResolver } from "@hookform/resolvers/valibot";
import { useSyncExternalStore } from "react";
import { useForm } from "react-hook-form";
import { Navigate, useNavigate } from "react-router";
import * as v from "valibot";
import { Mark } from "../../drawing/mark";
import { toast } from "../../ui/toast";
import { roleOf } from "../admin-watch";
import { useConsole } from "../context";
import { Loading } from "../frame/states";

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
  const { register, handleSubmit, formState } = useForm({
    resolver: valibotResolver(Credentials),
    defaultValues: { email: "", password: "" },
  });

  if (access.state === "loading") {
    return <Loading />;
  }
  // A sign-in that is just being checked answers for itself.
  if (access.state !== "none" && !formState.isSubmitting) {
    return <Navigate to="/admin" replace />;
  }

  async function signIn(credentials: v.InferOutput<typeof Credentials>) {
    const { data, error } = await client.auth.signInWithPassword(credentials);
    if (error) {
      // The client hides what a server fault says.
      const text = error.message === "{}" ? "The server can't be reached. Please try again." : error.message;
      toast({ title: "Login Failed", text, destructive: true });
      return;
    }
    if (!(await roleOf(client, data.user.id))) {
      await client.auth.signOut();
      toast({ title: "Access Denied", text: "You do not have admin privileges", destructive: true });
      return;
    }
    toast({ title: "Login Successful", text: "Welcome back." });
    navigate("/admin", { replace: true });
  }

  const { email, password } = formState.errors;
  return (
    <main id="main" className="a-login">
      <form className="a-login-card" noValidate onSubmit={handleSubmit(signIn)}>
        <a className="logo" href="/" aria-label="The public site">
          <Mark />
          <span>{document.documentElement.dataset.brand}</span>
        </a>
        <h1>Admin sign-in</h1>
        <div className="field">
          <label htmlFor="email">Email</label>
          <input
            id="email"
            type="email"
            autoComplete="username"
            aria-invalid={!!email}
            aria-describedby="email-problem"
            {...register("email")}
          />
          <p id="email-problem" className="field-problem" role="alert">
            {email?.message}
          </p>
        </div>
        <div className="field">
          <label htmlFor="password">Password</label>
          <input
            id="password"
            type="password"
            autoComplete="current-password"
            aria-invalid={!!password}
            aria-describedby="password-problem"
            {...register("password")}
          />
          <p id="password-problem" className="field-problem" role="alert">
            {password?.message}
          </p>
        </div>
        <button type="submit" className="btn btn-primary btn-lg" aria-disabled={formState.isSubmitting}>
          {formState.isSubmitting ? "Signing in…" : "Sign in"}
        </button>
      </form>
    </main>
  );
}
