/** The spec's words for a message that could not be sent; the address follows. */
export const NOT_SENT = { title: "Failed to Send", text: "Please try again or email us directly at" };
