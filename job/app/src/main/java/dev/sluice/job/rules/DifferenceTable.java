package dev.sluice.job.rules;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.job.table.RowForm;
import dev.sluice.job.table.TableColumn;
import dev.sluice.policy.io.Amount;
import dev.sluice.policy.questions.DiffPair;
import dev.sluice.policy.questions.LintRule.Line;
import dev.sluice.policy.questions.SemanticDiff;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Differences of two policies as rows, one a pair of lines. */
public final class DifferenceTable {
    /** Numbers of more bits are rounded for people. */
    private static final int MOST_BITS = 40;

    private static final MathContext ROUNDED = new MathContext(3);

    private static final List<TableColumn<DiffPair>> TABLE =
            List.of(
                    TableColumn.of("headers", DifferenceTable::headers),
                    TableColumn.of("difference", DifferenceTable::sentence),
                    TableColumn.of("example", DiffPair::packet));

    private static final List<TableColumn<DiffPair>> TSV =
            List.of(
                    TableColumn.of("headers", DifferenceTable::plainHeaders),
                    TableColumn.of("hook", DiffPair::hook),
                    TableColumn.of("state", DiffPair::state),
                    TableColumn.of("was", DiffPair::oldOutcome),
                    TableColumn.of("old line", pair -> pair.oldLine().label()),
                    TableColumn.of("is", DiffPair::newOutcome),
                    TableColumn.of("new line", pair -> pair.newLine().label()),
                    TableColumn.of("packets", DifferenceTable::packets),
                    TableColumn.of("example", DiffPair::packet),
                    TableColumn.of("old rule", pair -> pair.oldLine().text().strip()),
                    TableColumn.of("new rule", pair -> pair.newLine().text().strip()));

    /** Form of the rows. */
    public static final RowForm<DiffPair> FORM = new RowForm<>(TABLE, TSV, DifferenceTable::fields);

    private DifferenceTable() {}

    /** A number of headers for people. */
    public static String words(BigInteger headers) {
        if (headers.bitLength() <= MOST_BITS) {
            return "%,d".formatted(headers);
        }
        return headers.bitCount() == 1
                ? "2^" + headers.getLowestSetBit()
                : new BigDecimal(headers).round(ROUNDED).toString().toLowerCase(Locale.ROOT);
    }

    /** The number of a pair's headers for people. */
    public static String headers(DiffPair pair) {
        return (pair.atLeast() ? "at least " : "") + words(pair.size());
    }

    /** The number of a pair's headers for programs. */
    public static String plainHeaders(DiffPair pair) {
        return (pair.atLeast() ? ">=" : "") + pair.size();
    }

    /** The packets in words. */
    static String packets(DiffPair pair) {
        return (pair.exact() ? "" : "part of ") + pair.where();
    }

    /**
     * The packets in words, with their hook and the state of their connections where these matter.
     */
    public static String packetsOfState(DiffPair pair) {
        String both = pair.hook().isEmpty() || pair.state().isEmpty() ? "" : ", ";
        String state = pair.state().isEmpty() ? "" : "connection " + pair.state();
        String where = pair.hook() + both + state;
        return packets(pair) + (where.isEmpty() ? "" : " (" + where + ")");
    }

    private static String sentence(DiffPair pair) {
        return "%s: %s, %s"
                .formatted(
                        packetsOfState(pair),
                        verdict(pair.oldOutcome(), pair.oldLine(), true),
                        verdict(pair.newOutcome(), pair.newLine(), false));
    }

    /** The verdict of a line in words. */
    static String verdict(String outcome, Line line, boolean past) {
        String by = line.number() == 0 ? "the default" : "line " + line.label();
        return switch (outcome) {
            case "permit" -> (past ? "was" : "is") + " permitted by " + by;
            case "deny" -> (past ? "was" : "is") + " denied by " + by;
            case "depends" -> (past ? "depended" : "depends") + " on " + by;
            default -> (past ? "had" : "has") + " the action " + outcome + " by " + by;
        };
    }

    private static ObjectNode fields(DiffPair pair) {
        ObjectNode fields = JsonNodeFactory.instance.objectNode();
        fields.put("headers", pair.size().toString());
        fields.put("at_least", pair.atLeast());
        fields.put("hook", pair.hook());
        fields.put("state", pair.state());
        fields.set("old", side(pair.oldOutcome(), pair.oldLine()));
        fields.set("new", side(pair.newOutcome(), pair.newLine()));
        fields.put("packets", pair.where());
        fields.put("exact", pair.exact());
        fields.put("example", pair.packet());
        if (!pair.boxes().isEmpty()) {
            ArrayNode boxes = fields.putArray("boxes");
            pair.boxes().forEach(boxes::add);
            fields.put("box_count", pair.boxCount());
        }
        return fields;
    }

    private static ObjectNode side(String outcome, Line line) {
        ObjectNode side = JsonNodeFactory.instance.objectNode();
        side.put("outcome", outcome);
        side.put("file", line.file());
        side.put("line", line.known());
        side.put("chain", line.chain());
        side.put("action", line.action());
        side.put("rule", line.text().strip());
        return side;
    }

    /** The summary of a difference in words, a line each. */
    public static List<String> summary(SemanticDiff diff, Path old, Path fresh) {
        List<String> lines = new ArrayList<>();
        int more = diff.total() - diff.pairs().size();
        String hidden =
                more == 0
                        ? ""
                        : "; %s, the smallest, not listed: raise --top"
                                .formatted(Amount.of(more, "pair"));
        String atLeast = diff.givenUp() > 0 ? "at least " : "";
        lines.add(
                diff.total() > 0
                        ? "%s%s of lines, %s%s headers%s"
                                .formatted(
                                        atLeast,
                                        Amount.of(diff.total(), "pair"),
                                        atLeast,
                                        words(diff.size()),
                                        hidden)
                        : diff.givenUp() > 0
                                ? "no difference found"
                                : diff.isEmpty()
                                        ? "no difference"
                                        : "no difference about packets that come to both files");
        if (diff.givenUp() > 0) {
            lines.add(
                    "undecided: %s too large; sizes with them are lower bounds, and pairs may be missing"
                            .formatted(Amount.of(diff.givenUp(), "line")));
        }
        addAlone(lines, atLeast, diff.oldAlone(), old, fresh);
        addAlone(lines, atLeast, diff.newAlone(), fresh, old);
        return lines;
    }

    private static void addAlone(
            List<String> lines, String atLeast, BigInteger headers, Path by, Path other) {
        if (headers.signum() > 0) {
            lines.add(
                    "not compared: %s%s headers that come to %s alone, not to %s"
                            .formatted(atLeast, words(headers), by, other));
        }
    }
}
