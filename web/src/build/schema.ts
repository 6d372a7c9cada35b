import { writeFileSync } from "node:fs";
import { messageSchema } from "../contact/message-schema";

// Run by `npm run schema`: what the server checks contact messages by.

writeFileSync("../server/contact/message.schema.json", messageSchema());
