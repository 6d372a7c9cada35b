import { createClient, type SupabaseClient } from "@supabase/supabase-js";
import { MESSAGES, OPENING } from "./run.ts";
import { expect, type Simora, test } from "./simora.ts";

// The stock client, unmodified, against the real server: every call of the
// specification's section 7, when it works and when it does not.

const ADMIN = { email: "admin@simora.example", password: "correct horse battery staple" };

test.use({ env: { SIMORA_ADMIN_EMAIL: ADMIN.email, SIMORA_ADMIN_PASSWORD: ADMIN.password, SIMORA_LIMIT_FACTOR: "1" } });

/** On Node before 22 the client wants a socket class, though no call opens one. */
class NoSocket {}

async function connect(simora: Simora): Promise<SupabaseClient> {
  const { publicKey } = (await (await fetch(`${simora.url}/config.json`)).json()) as { publicKey: string };
  return createClient(simora.url, publicKey, {
    auth: { persistSession: false, autoRefreshToken: false },
    realtime: { transport: NoSocket as never },
  });
}

async function admin(simora: Simora): Promise<SupabaseClient> {
  const client = await connect(simora);
  const { error } = await client.auth.signInWithPassword(ADMIN);
  expect(error).toBeNull();
  return client;
}

/** What a function's refusal says. */
async function refusal(answer: { error: unknown }): Promise<{ status: number; code: string }> {
  const { context } = answer.error as { context: Response };
  const { code } = (await context.json()) as { code: string };
  return { status: context.status, code };
}

const SCENARIO = {
  title: "Angry guest",
  slug: "angry-guest",
  industry: "corporate",
  short_description: "A hotel guest whose room is not ready.",
  system_prompt: "You are a tired hotel guest. Speak in short sentences.",
  rubric: { criteria: [{ name: "Empathy", weight: 50 }, { name: "Solution", weight: 50 }] },
  max_turns: 4,
  is_public: true,
  thumbnail_url: "",
};

test("a visitor's run: start, turn, complete, report mail", async ({ simora }) => {
  const client = await connect(simora);
  const started = await client.functions.invoke("session-start", {
    body: { scenarioSlug: "healthcare-emergency", browserMeta: { width: 1, height: 1, language: "en", userAgent: "x" } },
  });
  expect(started.error).toBeNull();
  expect(started.data).toMatchObject({ scenarioTitle: "Chest Pain Assessment", firstMessage: OPENING, maxTurns: 8 });
  const { sessionId } = started.data as { sessionId: string };
  const turn = await client.functions.invoke("session-turn", { body: { sessionId, userMessage: MESSAGES[0] } });
  expect(turn.data).toMatchObject({ npcMessage: expect.any(String), turnCount: 1, isComplete: false });
  const early = await client.functions.invoke("send-report-email", { body: { sessionId, userEmail: "a@b.example" } });
  expect(await refusal(early)).toEqual({ status: 409, code: "session_not_completed" });
  const report = await client.functions.invoke("session-complete", { body: { sessionId } });
  expect(report.data).toMatchObject({ overall: expect.any(Number), dimensions: expect.any(Object), coachSummary: expect.any(String), whatWentWell: expect.any(Array), whatToImprove: expect.any(Array) });
  expect((await client.functions.invoke("send-report-email", { body: { sessionId, userEmail: "a@b.example" } })).data).toEqual({ success: true });

  for (const [name, body, status, code] of [
    ["session-start", { scenarioSlug: "nothing" }, 404, "scenario_not_found"],
    ["session-turn", { sessionId, userMessage: "more" }, 409, "session_completed"],
    ["session-turn", { sessionId: crypto.randomUUID(), userMessage: "x" }, 404, "session_not_found"],
    ["session-complete", { sessionId: "x" }, 404, "session_not_found"],
    ["send-report-email", { sessionId, userEmail: ["a@b.example"] }, 400, "bad_request"],
    ["nothing", {}, 404, "NOT_FOUND"],
  ] as const) {
    expect(await refusal(await client.functions.invoke(name, { body })), name).toEqual({ status, code });
  }
});

test("contact", async ({ simora }) => {
  const client = await connect(simora);
  const body = { name: "Ada", email: "ada@b.example", organization: "", reason: "demo", message: "Hello" };
  expect((await client.functions.invoke("send-contact-email", { body })).data).toEqual({ success: true });
  expect(await refusal(await client.functions.invoke("send-contact-email", { body: { ...body, reason: "x" } }))).toEqual({ status: 400, code: "validation_failed" });

  const client2 = await admin(simora);
  const { data } = await client2.functions.invoke("admin-get-contact-messages");
  expect(data.messages).toMatchObject([{ name: "Ada", message: "Hello", answered_at: null }]);
  const [{ id }] = data.messages;
  expect((await client2.functions.invoke("admin-mark-contact-message", { body: { id, answered: true } })).data).toEqual({ success: true });
  expect((await client2.functions.invoke("admin-get-contact-messages")).data.messages[0].answered_at).not.toBeNull();
});

test("sign-in, session, user, has_role, refresh, sign-out", async ({ simora }) => {
  const client = await connect(simora);
  const wrong = await client.auth.signInWithPassword({ ...ADMIN, password: "wrong wrong wrong wrong" });
  expect(wrong.error).toMatchObject({ message: "Invalid login credentials", status: 400, code: "invalid_credentials" });
  const unknown = await client.auth.signInWithPassword({ email: "nobody@simora.example", password: ADMIN.password });
  expect(unknown.error).toMatchObject({ message: wrong.error?.message, code: wrong.error?.code });

  const events: string[] = [];
  client.auth.onAuthStateChange((event) => events.push(event));
  const signedIn = await client.auth.signInWithPassword({ email: ADMIN.email.toUpperCase(), password: ADMIN.password });
  expect(signedIn.error).toBeNull();
  expect(events).toContain("SIGNED_IN");
  const user = signedIn.data.user;
  expect(user).toMatchObject({ email: ADMIN.email, aud: "authenticated", role: "authenticated" });
  expect((await client.auth.getSession()).data.session?.access_token).toBe(signedIn.data.session?.access_token);
  expect((await client.auth.getUser()).data.user?.id).toBe(user?.id);
  expect(await client.rpc("has_role", { _user_id: user?.id, _role: "admin" })).toMatchObject({ data: true, error: null });
  expect(await client.rpc("has_role", { _user_id: crypto.randomUUID(), _role: "admin" })).toMatchObject({ data: false });
  expect((await client.rpc("has_role", { _user_id: "x", _role: "admin" })).error?.code).toBe("22P02");
  expect((await client.rpc("nothing", {})).error?.code).toBe("PGRST205");

  const refreshed = await client.auth.refreshSession();
  expect(refreshed.error).toBeNull();
  expect(refreshed.data.session?.refresh_token).not.toBe(signedIn.data.session?.refresh_token);

  const token = refreshed.data.session?.access_token ?? "";
  expect((await client.auth.signOut()).error).toBeNull();
  expect(events).toContain("SIGNED_OUT");
  // The token that was good a moment ago is dead in every service.
  const stale = await connect(simora);
  const headers = { Authorization: `Bearer ${token}` };
  expect(await refusal(await stale.functions.invoke("admin-get-scenarios", { headers }))).toMatchObject({ status: 401 });
  expect((await stale.auth.getUser(token)).error).not.toBeNull();
  const { publicKey } = (await (await fetch(`${simora.url}/config.json`)).json()) as { publicKey: string };
  const rest = await fetch(`${simora.url}/rest/v1/gallery_media?select=id`, { headers: { apikey: publicKey, ...headers } });
  expect(rest.status, "not even what anonymous callers may do").toBe(401);
});

test("refresh tokens rotate; the one before is taken for a while, an older one ends the sign-in", async ({ simora }) => {
  const client = await connect(simora);
  const { data } = await client.auth.signInWithPassword(ADMIN);
  const first = data.session?.refresh_token ?? "";
  const refresh = async (token: string) => (await connect(simora)).auth.refreshSession({ refresh_token: token });
  const together = await Promise.all([refresh(first), refresh(first), refresh(first)]);
  const seconds = new Set(together.map((answer) => answer.data.session?.refresh_token));
  expect(seconds.size, "all tabs get one token").toBe(1);
  const [second] = [...seconds];
  expect((await refresh(first)).data.session?.refresh_token, "a lost answer").toBe(second);
  const third = (await refresh(second ?? "")).data.session?.refresh_token ?? "";
  expect((await refresh(first)).error).toMatchObject({ code: "refresh_token_already_used" });
  expect((await refresh(third)).error, "the whole sign-in is gone").toMatchObject({ code: "refresh_token_not_found" });
  for (const bad of ["x", `${third}x`, third.replace(/.$/, "A"), ""]) {
    expect((await refresh(bad)).error, bad).not.toBeNull();
  }
});

test("too many wrong passwords are slowed down, the owner elsewhere is not locked out", async ({ simora }) => {
  const client = await connect(simora);
  const codes: (string | undefined)[] = [];
  for (let i = 0; i < 14; i++) {
    codes.push((await client.auth.signInWithPassword({ ...ADMIN, password: `wrong wrong wrong ${i}` })).error?.code);
  }
  expect(codes).toContain("over_request_rate_limit");
  expect(codes.slice(0, 5)).toEqual(Array(5).fill("invalid_credentials"));
  expect((await client.auth.signInWithPassword({ email: "other@simora.example", password: "x" })).error?.code).toBe("invalid_credentials");
});

test("scenarios: list, create, read one, update, delete", async ({ simora }) => {
  const client = await admin(simora);
  const listed = await client.functions.invoke("admin-get-scenarios");
  expect(listed.data.scenarios.map((sc: { slug: string }) => sc.slug).sort()).toEqual(["aviation-cabin-crew", "corporate-sales", "healthcare-emergency"]);
  expect(listed.data.scenarios[0]).toMatchObject({ system_prompt: expect.any(String), rubric: expect.any(Object), max_turns: 8 });

  const created = await client.functions.invoke("admin-create-scenario", { body: SCENARIO });
  expect(created.data.scenario).toMatchObject({ ...SCENARIO, thumbnail_url: null });
  const { id } = created.data.scenario as { id: string };
  const one = await client.from("scenarios").select("*").eq("id", id).single();
  expect(one.data).toMatchObject({ ...SCENARIO, thumbnail_url: null, id });
  expect((await client.from("scenarios").select("*").eq("id", crypto.randomUUID()).single()).error?.code).toBe("PGRST116");
  expect((await client.from("scenarios").select("*").eq("id", "new").single()).error?.code).toBe("22P02");

  expect(await refusal(await client.functions.invoke("admin-create-scenario", { body: SCENARIO }))).toEqual({ status: 409, code: "slug_taken" });
  for (const wrong of [{ title: " " }, { slug: "Not A Slug" }, { industry: "space" }, { max_turns: 51 }, { max_turns: 0 }, { system_prompt: "" }, { rubric: [] }, { rubric: null }, { thumbnail_url: "javascript:alert(1)" }]) {
    const answer = await refusal(await client.functions.invoke("admin-create-scenario", { body: { ...SCENARIO, slug: "other", ...wrong } }));
    expect(answer, JSON.stringify(wrong)).toEqual({ status: 400, code: "validation_failed" });
  }
  const updated = await client.functions.invoke("admin-update-scenario", { body: { id, title: "Tired guest", is_public: false } });
  expect(updated.data.scenario).toMatchObject({ title: "Tired guest", is_public: false, slug: SCENARIO.slug });

  // Private: unknown to visitors, playable for admins.
  const visitor = await connect(simora);
  const start = { body: { scenarioSlug: SCENARIO.slug, browserMeta: {} } };
  expect(await refusal(await visitor.functions.invoke("session-start", start))).toEqual({ status: 404, code: "scenario_not_found" });
  const session = await client.functions.invoke("session-start", start);
  expect(session.error).toBeNull();

  expect((await client.functions.invoke("admin-delete-scenario", { body: { id } })).data).toEqual({ success: true });
  expect(await refusal(await client.functions.invoke("admin-delete-scenario", { body: { id } }))).toEqual({ status: 404, code: "scenario_not_found" });
  const late = await client.functions.invoke("session-turn", { body: { sessionId: session.data.sessionId, userMessage: "Hello" } });
  expect(await refusal(late)).toMatchObject({ status: 409 });
});

test("sessions: list and detail", async ({ simora }) => {
  const visitor = await connect(simora);
  const { data } = await visitor.functions.invoke("session-start", { body: { scenarioSlug: "healthcare-emergency", browserMeta: { width: 1, height: 1, language: "en", userAgent: "x" } } });
  await visitor.functions.invoke("session-turn", { body: { sessionId: data.sessionId, userMessage: MESSAGES[0] } });
  await visitor.functions.invoke("session-complete", { body: { sessionId: data.sessionId } });
  await visitor.functions.invoke("send-report-email", { body: { sessionId: data.sessionId, userEmail: "sam@hospital.example" } });
  await visitor.functions.invoke("session-start", { body: { scenarioSlug: "corporate-sales", browserMeta: {} } });

  const client = await admin(simora);
  const listed = await client.functions.invoke("admin-get-sessions");
  expect(Object.keys(listed.data)).toEqual(["sessions"]);
  expect(listed.data.sessions).toHaveLength(2);
  const mine = listed.data.sessions.find((s: { id: string }) => s.id === data.sessionId);
  expect(mine).toMatchObject({ scenarios: { title: "Chest Pain Assessment", industry: "healthcare" }, turn_count: 1, user_email: "sam@hospital.example", visitor_ip: "127.0.0.1", geo_city: null, score_overall: expect.any(Number) });
  for (const [filter, want] of [
    [{ search: "sam@hospital.example" }, 1],
    [{ search: "sales" }, 0],
    [{ search: "erp" }, 1],
    [{ search: data.sessionId }, 1],
    [{ status: "incomplete" }, 1],
    [{ industry: "healthcare" }, 1],
    [{ minScore: 100 }, 0],
    [{ limit: 1 }, 1],
    [{ from: "2020-01-01", to: "2020-01-02" }, 0],
  ] as const) {
    const found = await client.functions.invoke("admin-get-sessions", { body: filter });
    expect(found.data?.sessions, JSON.stringify(filter)).toHaveLength(want);
  }
  expect((await client.functions.invoke("admin-get-sessions", { body: { limit: 1 } })).data.total).toBe(2);
  expect((await client.functions.invoke("admin-export-sessions")).data.csv).toContain("sam@hospital.example");

  const detail = await client.functions.invoke("admin-get-session-detail", { body: { sessionId: data.sessionId } });
  expect(detail.data.session).toMatchObject({ id: data.sessionId, ai_report: expect.stringContaining("What"), engines: ["built-in", "built-in"], report: { criteria: expect.any(Array) } });
  expect(detail.data.session.raw_log).toEqual([
    { role: "assistant", content: OPENING },
    { role: "user", content: MESSAGES[0] },
    { role: "assistant", content: expect.any(String) },
  ]);
  expect(await refusal(await client.functions.invoke("admin-get-session-detail", { body: { sessionId: crypto.randomUUID() } }))).toEqual({ status: 404, code: "session_not_found" });

  const overview = (await client.functions.invoke("admin-get-overview")).data;
  expect(overview).toMatchObject({ ctaConversion: 50, total: { sessions: 2, completed: 1, emails: 1 }, contactWaiting: 0 });
  expect(overview.days).toHaveLength(28);
  expect(overview.funnel.map((step: { count: number }) => step.count)).toEqual([2, 1, 1, 1]);
});

const PNG = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");

test("gallery: upload, insert, read, caption, order, delete", async ({ simora }) => {
  const client = await admin(simora);
  const bucket = client.storage.from("industry-media");
  const path = "healthcare/1700000000000_abc.png";
  const uploaded = await bucket.upload(path, new Blob([PNG], { type: "image/png" }), { cacheControl: "3600", upsert: false });
  expect(uploaded.error).toBeNull();
  expect(uploaded.data).toMatchObject({ path, fullPath: `industry-media/${path}` });
  const { publicUrl } = bucket.getPublicUrl(path).data;
  const served = await fetch(publicUrl);
  expect(served.headers.get("content-type")).toBe("image/png");
  expect(Buffer.from(await served.arrayBuffer()).equals(PNG)).toBe(true);
  expect((await bucket.info(path)).data).toMatchObject({ name: path, bucketId: "industry-media", size: PNG.length, contentType: "image/png", metadata: { width: 1, height: 1 } });
  expect((await (await connect(simora)).storage.from("industry-media").info(path)).error).not.toBeNull();
  const tile = await fetch(bucket.getPublicUrl(path, { transform: { width: 320 } }).data.publicUrl);
  expect([tile.status, tile.headers.get("content-type")]).toEqual([200, "image/png"]); // smaller than any tile: as it is
  expect((await bucket.upload(path, new Blob([PNG]), { upsert: true })).error).toMatchObject({ statusCode: "409" });
  for (const [name, content, code] of [
    ["healthcare/x.svg", "<svg/>", "415"],
    ["healthcare/x.png", "<html><script>", "415"],
    ["healthcare/x.jpg", PNG, "415"],
    ["other/x.png", PNG, "400"],
    ["healthcare/.x.png", PNG, "400"],
    ["healthcare/empty.png", "", "400"],
  ] as const) {
    expect((await bucket.upload(name, new Blob([content]))).error, name).toMatchObject({ statusCode: code });
  }

  const row = { file_name: "my ward.png", file_path: path, file_type: "image", industry: "healthcare", caption: "The ward", display_order: 0 };
  expect((await client.from("gallery_media").insert(row)).error).toBeNull();
  expect((await client.from("gallery_media").insert(row)).error?.code).toBe("23505");
  const listed = await client.from("gallery_media").select("*").order("industry").order("display_order");
  expect(listed.data).toMatchObject([row]);
  const id = listed.data?.[0].id as string;
  expect((await client.from("gallery_media").select("display_order").eq("industry", "healthcare").order("display_order", { ascending: false }).limit(1).maybeSingle()).data).toEqual({ display_order: 0 });
  expect((await client.from("gallery_media").update({ caption: null }).eq("id", id)).error).toBeNull();
  expect((await client.from("gallery_media").update({ display_order: 5 }).eq("id", id).select("caption, display_order").single()).data).toEqual({ caption: null, display_order: 5 });
  for (const [change, code] of [
    [{ file_path: "x" }, "42501"],
    [{ nothing: 1 }, "PGRST204"],
    [{ display_order: -1 }, "23514"],
    [{ caption: "x".repeat(501) }, "22001"],
  ] as const) {
    expect((await client.from("gallery_media").update(change as never).eq("id", id)).error?.code).toBe(code);
  }
  expect((await client.from("gallery_media").delete().neq("id", id)).error?.code).toBe("21000");
  expect((await client.from("gallery_media").delete().gte("display_order", 0)).error?.code).toBe("21000");

  const visitor = await connect(simora);
  const seen = await visitor.from("gallery_media").select("id, file_path, file_type, caption").eq("industry", "healthcare").order("display_order", { ascending: true });
  expect(seen.data).toEqual([{ id, file_path: path, file_type: "image", caption: null }]);

  expect((await client.functions.invoke("admin-arrange-gallery", { body: { industry: "healthcare", ids: [id] } })).data).toEqual({ success: true });
  expect(await refusal(await client.functions.invoke("admin-arrange-gallery", { body: { industry: "healthcare", ids: [] } }))).toMatchObject({ status: 409 });
  expect((await client.from("gallery_media").delete().eq("id", id)).error).toBeNull();
  expect((await bucket.remove([path, "healthcare/none.png"])).data).toMatchObject([{ name: path }]);
  expect((await fetch(publicUrl)).status).toBe(400);
});

test("an upload above the limit is refused before it is sent", async ({ simora }) => {
  const client = await admin(simora);
  const { error } = await client.storage.from("industry-media").upload("healthcare/huge.mp4", new Blob([Buffer.alloc(101 * 1024 * 1024)], { type: "video/mp4" }));
  expect(error).not.toBeNull();
});

test("what viewers may not do", async ({ simora }) => {
  simora.command(["admin", "create", "--role", "viewer", "looker@simora.example"], { SIMORA_ADMIN_PASSWORD: ADMIN.password });
  const viewer = await connect(simora);
  const { data } = await viewer.auth.signInWithPassword({ email: "looker@simora.example", password: ADMIN.password });
  const id = data.user?.id;
  expect(await viewer.rpc("has_role", { _user_id: id, _role: "viewer" })).toMatchObject({ data: true });
  expect(await viewer.rpc("has_role", { _user_id: id, _role: "admin" })).toMatchObject({ data: false });
  for (const name of ["admin-get-scenarios", "admin-get-sessions", "admin-get-overview"]) {
    expect((await viewer.functions.invoke(name)).error, name).toBeNull();
  }
  for (const name of ["admin-create-scenario", "admin-update-scenario", "admin-delete-scenario", "admin-export-sessions", "admin-get-contact-messages", "admin-export-contact-messages", "admin-mark-contact-message", "admin-arrange-gallery", "admin-preview", "admin-get-audit", "admin-export-audit", "admin-verify-audit"]) {
    expect(await refusal(await viewer.functions.invoke(name, { body: {} })), name).toEqual({ status: 403, code: "forbidden" });
  }
  expect((await viewer.from("gallery_media").select("*")).error).toBeNull();
  expect((await viewer.from("scenarios").select("*")).error?.code).toBe("42501");
  expect((await viewer.from("gallery_media").update({ caption: "x" }).eq("id", crypto.randomUUID())).error?.code).toBe("42501");
  expect((await viewer.from("gallery_media").delete().eq("id", crypto.randomUUID())).error?.code).toBe("42501");
  expect((await viewer.storage.from("industry-media").upload("healthcare/a.png", new Blob([PNG]))).error).toMatchObject({ statusCode: "403" });
  expect((await viewer.storage.from("industry-media").remove(["healthcare/a.png"])).error).toMatchObject({ statusCode: "403" });
});

test("what visitors may not do", async ({ simora }) => {
  const visitor = await connect(simora);
  for (const name of ["admin-get-scenarios", "admin-get-sessions", "admin-create-scenario", "admin-update-scenario", "admin-delete-scenario", "admin-get-session-detail", "admin-get-overview", "admin-get-contact-messages", "admin-export-sessions"]) {
    expect(await refusal(await visitor.functions.invoke(name, { body: {} })), name).toEqual({ status: 401, code: "unauthorized" });
  }
  expect((await visitor.from("scenarios").select("*")).error?.code).toBe("42501");
  expect((await visitor.from("gallery_media").select("*")).error?.code).toBe("42501");
  expect((await visitor.from("gallery_media").insert({ file_name: "x" })).error?.code).toBe("42501");
  expect((await visitor.from("gallery_media").update({ caption: "x" }).eq("id", crypto.randomUUID())).error?.code).toBe("42501");
  expect((await visitor.from("gallery_media").delete().eq("id", crypto.randomUUID())).error?.code).toBe("42501");
  expect((await visitor.from("sessions").select("*")).error?.code).toBe("PGRST205");
  expect((await visitor.rpc("has_role", { _user_id: crypto.randomUUID(), _role: "admin" })).error?.code).toBe("42501");
  expect((await visitor.storage.from("industry-media").upload("healthcare/a.png", new Blob([PNG]))).error).toMatchObject({ statusCode: "403" });
  expect((await visitor.storage.from("industry-media").remove(["healthcare/a.png"])).error).toMatchObject({ statusCode: "403" });
  expect((await visitor.storage.from("industry-media").list()).error).not.toBeNull();
  expect((await visitor.auth.signUp({ email: "x@y.example", password: "correct horse battery" })).error?.code).toBe("signup_disabled");
});
