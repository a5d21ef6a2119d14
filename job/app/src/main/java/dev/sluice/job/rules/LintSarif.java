package dev.sluice.job.rules;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.job.table.LinesOut;
import dev.sluice.job.table.RowsOut;
import dev.sluice.policy.questions.LintRule.Kind;
import dev.sluice.policy.questions.LintRule.Line;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * Findings as a log in SARIF 2.1.0 (OASIS), which code review tools show beside the lines. A rule
 * of the log is a kind of finding; rows without a finding are left out.
 */
public final class LintSarif implements RowsOut<LintTable.Row> {
    private final LinesOut out;
    private final ArrayNode results = JsonNodeFactory.instance.arrayNode();

    /** Creates a log that {@link #flush} prints as a whole. */
    public LintSarif(LinesOut out) {
        this.out = out;
    }

    @Override
    public boolean row(LintTable.Row row) {
        Kind kind = Kind.labelled(row.finding());
        if (kind == null) {
            return true;
        }
        ObjectNode result = results.addObject();
        result.put("ruleId", kind.label());
        result.put("ruleIndex", kind.ordinal());
        result.put("level", level(kind));
        result.putObject("message").put("text", message(kind, row));
        place(result.putArray("locations").addObject(), row.line());
        if (!row.by().isEmpty()) {
            ArrayNode related = result.putArray("relatedLocations");
            for (Line line : row.by()) {
                ObjectNode one = related.addObject();
                one.put("id", related.size());
                place(one, line);
                one.putObject("message").put("text", line.text().strip());
            }
        }
        result.putObject("partialFingerprints")
                .put(
                        "finding/v1",
                        UUID.nameUUIDFromBytes(row.acceptance().getBytes(StandardCharsets.UTF_8))
                                .toString());
        return true;
    }

    @Override
    public boolean flush() {
        ObjectNode log = JsonNodeFactory.instance.objectNode();
        log.put("$schema", "https://json.schemastore.org/sarif-2.1.0.json");
        log.put("version", "2.1.0");
        ObjectNode run = log.putArray("runs").addObject();
        ObjectNode driver = run.putObject("tool").putObject("driver");
        driver.put("name", "sluice rules lint");
        ArrayNode rules = driver.putArray("rules");
        for (Kind kind : Kind.values()) {
            ObjectNode rule = rules.addObject();
            rule.put("id", kind.label());
            rule.putObject("shortDescription").put("text", meaning(kind));
            rule.putObject("defaultConfiguration").put("level", level(kind));
        }
        run.set("results", results);
        log.toPrettyString().lines().forEach(out::line);
        return out.flush();
    }

    private static String level(Kind kind) {
        return switch (kind) {
            case DEAD, REDUNDANT, EMPTY_JUMP, UNUSED_CHAIN, UNUSED_OBJECT -> "warning";
            case ANY_ANY, WILDCARD_MASK, IPV6_OPEN -> "warning";
            case UNDECIDED, CONFLICT, SHADOWED_DEFAULT, NEVER_HIT, WIDER, DENY_HIT -> "note";
        };
    }

    private static String meaning(Kind kind) {
        return switch (kind) {
            case DEAD -> "No packet reaches the rule.";
            case UNDECIDED -> "The proof about the rule was given up.";
            case REDUNDANT -> "Without the rule every packet has the action that it has.";
            case CONFLICT -> "The order of this rule and one of another action decides.";
            case EMPTY_JUMP -> "The rule jumps to a chain without rules.";
            case UNUSED_CHAIN -> "Nothing leads to the chain that begins here.";
            case NEVER_HIT -> "No packet of the window hit the rule.";
            case WIDER -> "The rule takes more than the packets of the window had.";
            case DENY_HIT -> "The rule denies packets of the window.";
            case ANY_ANY -> "The rule decides about every packet, before others of its chain.";
            case WILDCARD_MASK ->
                    "The mask asks for the low bits, as a wildcard of Cisco's leaves them out.";
            case IPV6_OPEN ->
                    "The rule denies what is left of IPv4, and nothing does so with IPv6.";
            case UNUSED_OBJECT -> "No rule names the set or object.";
            case SHADOWED_DEFAULT -> "No packet comes to the default: rules decide about all.";
        };
    }

    private static String message(Kind kind, LintTable.Row row) {
        StringBuilder text = new StringBuilder(meaning(kind));
        if (!row.by().isEmpty()) {
            String lines = row.by().stream().map(Line::label).collect(Collectors.joining(", "));
            text.append(" By line ").append(lines).append('.');
        }
        if (!row.witness().isEmpty()) {
            text.append(" A packet that it wins: ").append(row.witness());
            text.append(row.doubtful() ? ", unless something that no header tells decides." : ".");
        }
        if (kind == Kind.NEVER_HIT && row.use() != null && row.use().doubtful()) {
            text.append(" Some may have, of which no header tells the rule.");
        }
        if (kind == Kind.WIDER) {
            text.append(" Of ").append(row.wider()).append('.');
        }
        return text.append(" Rule: ").append(row.rule()).toString();
    }

    private static void place(ObjectNode location, Line line) {
        ObjectNode physical = location.putObject("physicalLocation");
        physical.putObject("artifactLocation").put("uri", uri(line.file()));
        if (line.number() > 0) { // the default of a list has no line
            ObjectNode region = physical.putObject("region");
            region.put("startLine", line.number());
            region.putObject("snippet").put("text", line.text().strip());
        }
        if (!line.chain().isEmpty()) {
            ObjectNode chain = location.putArray("logicalLocations").addObject();
            chain.put("name", line.chain());
        }
    }

    /** The address of a file: relative where the file is named so. */
    private static String uri(String file) {
        Path path = Path.of(file);
        if (path.isAbsolute()) {
            return path.toUri().toASCIIString();
        }
        String plain = path.normalize().toString();
        try {
            return new URI(null, null, plain.contains(":") ? "./" + plain : plain, null)
                    .toASCIIString();
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException(file, e);
        }
    }
}
