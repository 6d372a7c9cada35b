import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createRoot } from "react-dom/client";
import { RouterProvider } from "react-router";
import { AdminWatch } from "./admin-watch";
import { messageOf, openClient } from "./client";
import { ConsoleContext } from "./context";
import { router } from "./router";

const root = document.getElementById("console") as HTMLElement;

openClient(location.origin).then(
  (client) => {
    const queries = new QueryClient({ defaultOptions: { queries: { retry: 1, staleTime: 15_000 } } });
    createRoot(root).render(
      <ConsoleContext value={{ client, watch: new AdminWatch(client, () => queries.clear()) }}>
        <QueryClientProvider client={queries}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </ConsoleContext>,
    );
  },
  (problem: unknown) => {
    root.textContent = `The console could not start: ${messageOf(problem) || "the server can't be reached."} Reload the page.`;
  },
);
