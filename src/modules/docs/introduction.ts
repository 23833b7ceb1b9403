/** First text of the document: what holds for every operation. */
export const INTRODUCTION = `
Projects, tasks, jobs, annotations, and the webhooks that tell of their changes.

### Versions
\`Accept: application/vnd.cvat+json; version=2.2\` chooses the version of the answer. Served are \`2.0\`, \`2.1\` and \`2.2\`;
without the parameter, and for \`application/json\`, it is 2.1. Another version or type is refused with 406, before
anything else is looked at. Versions differ in answers alone. 2.1 has exactly the keys that CVAT's clients know; 2.2 adds ours, to webhooks
and their deliveries, and lists a delivery before its first attempt. In 2.0 tasks carry their labels and segments, projects and
jobs their labels, as embedded lists; later keys of tasks are absent; webhooks have \`project\` in place of
\`project_id\`.

### Who asks
\`POST /api/auth/login\` answers with a key for \`Authorization: Token <key>\` and sets a session cookie. A session's
changing requests need the header \`X-CSRFToken\` with the value of the cookie \`csrftoken\`. Basic authentication and
personal access tokens (\`Authorization: Bearer …\`) work as well. Wrong credentials are refused on public operations,
too.

### Organizations
The query parameter \`org\` (slug), the query parameter \`org_id\` or the header \`X-Organization\` (slug) names the
organization that a request is about; an empty value is the personal space. Lists are narrowed to it, and what is created
belongs to it. Without any of them lists show everything that the caller may see.

### Lists
Answers come in pages: \`count\`, \`next\`, \`previous\`, \`results\`. \`page\`, \`page_size\`, \`sort\`, \`search\` and
\`filter\` (JSON Logic) work the same everywhere.

### Errors
400 mirrors the body: \`{"name": ["This field is required."]}\`. The others say it in \`detail\`. Checks come in this
order: version (406), credentials (401), permission on the collection (403), the object (404), permission on the object
(403), the body (400). Every answer has the header \`X-Request-Id\`; the server's log repeats it.
`.trim();
