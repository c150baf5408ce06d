/* Pieces of a page that every part of a report is made of: sections, what is folded, what is wide. */

CREATE FUNCTION @extschema@.l4_report_section(title text, note text, body text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN E'<section>\n<h2>' || title || E'</h2>\n' || COALESCE('<p class="small soft">' || note || E'</p>\n', '') || body
	|| E'\n</section>';
COMMENT ON FUNCTION @extschema@.l4_report_section(text, text, text) IS
'Step: A section of the page (all three are HTML already); NULL where there is no body.';

CREATE FUNCTION @extschema@.l4_report_folded(summary text, body text, opened boolean DEFAULT false) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN E'\n<details' || CASE WHEN opened THEN ' open="open"' ELSE '' END || '><summary>' || summary || E'</summary>\n' || body
	|| '</details>';
COMMENT ON FUNCTION @extschema@.l4_report_folded(text, text, boolean) IS
'Step: A part of the page that is folded until somebody opens it, and printed open; NULL where there is no body.';

CREATE FUNCTION @extschema@.l4_report_wide(name text, body text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN format('<div class="wide" tabindex="0" role="region" aria-label="Picture: %s">', name) || body || '</div>';
COMMENT ON FUNCTION @extschema@.l4_report_wide(text, text) IS
'Step: What is wider than a narrow screen, in a frame that scrolls, by keys too; NULL where there is no body.';
