import { BRAND, CONTACT_EMAIL, INDUSTRY_LINKS, OFFERINGS, SITE_URL } from "../content/company";
import type { Route } from "../routes";
import { jsonBlanks } from "./blanks";

/** Stands in for the facts that the owner may have given, one by one. */
const FACTS = "facts";

const GIVEN = [
  ["LegalName", "legalName"],
  ["Address", "address"],
  ["Phone", "telephone"],
]
  .map(([fact, property]) => `{%with .Company.${fact}%},"${property}":"{%json .%}"{%end%}`)
  .join("");

const ORGANIZATION = `${SITE_URL}/#organization`;

/** What a page is about, for search engines (schema.org, JSON-LD). */
export function structuredData(route: Route): string {
  const graph: object[] = [
    {
      "@type": "WebPage",
      "@id": `${SITE_URL}${route.path}`,
      url: `${SITE_URL}${route.path}`,
      name: route.title,
      description: route.description,
      inLanguage: "en",
      publisher: { "@id": ORGANIZATION },
    },
    {
      "@type": "Organization",
      "@id": ORGANIZATION,
      name: BRAND,
      url: `${SITE_URL}/`,
      logo: `${SITE_URL}/icon-512.png`,
      email: CONTACT_EMAIL,
      [FACTS]: "",
    },
  ];
  if (route.path === "/") {
    graph.push({ "@type": "WebSite", url: `${SITE_URL}/`, name: BRAND, publisher: { "@id": ORGANIZATION } });
  } else {
    graph.push(breadcrumb(route));
  }
  if (route.path === "/platform") {
    for (const offering of OFFERINGS) {
      graph.push({
        "@type": "Service",
        name: offering.name,
        description: offering.text,
        url: `${SITE_URL}/platform#${offering.anchor}`,
        provider: { "@id": ORGANIZATION },
      });
    }
  }
  return jsonBlanks({ "@context": "https://schema.org", "@graph": graph }).replace(`,"${FACTS}":""`, GIVEN);
}

function breadcrumb(route: Route): object {
  const trail = [
    { name: BRAND, path: "/" },
    ...(route.path === "/try/healthcare"
      ? INDUSTRY_LINKS.slice(0, 1).map(({ label, href }) => ({ name: label, path: href }))
      : []),
    { name: route.name, path: route.path },
  ];
  return {
    "@type": "BreadcrumbList",
    itemListElement: trail.map(({ name, path }, i) => ({
      "@type": "ListItem",
      position: i + 1,
      name,
      item: `${SITE_URL}${path}`,
    })),
  };
}
