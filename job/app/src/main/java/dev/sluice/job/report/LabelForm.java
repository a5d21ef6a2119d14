package dev.sluice.job.report;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.job.rules.DifferenceTable;
import dev.sluice.policy.questions.DiffPair;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Output of the labels of rows.
 *
 * @param <L> label: a rule, or a pair of rules
 * @param before cells before the addresses
 * @param behind cells behind the services
 * @param plain the same for programs
 * @param json adds a label to the members of its row
 * @param connections whether rows have connections, too
 * @param examples whether rows have an example, too
 */
public record LabelForm<L>(
        List<Cell<L>> before,
        List<Cell<L>> behind,
        List<Cell<L>> plain,
        BiConsumer<L, ObjectNode> json,
        boolean connections,
        boolean examples) {
    /**
     * Cell of a label.
     *
     * @param name of its column
     */
    record Cell<L>(String name, Function<L, String> text) {}

    /** Rules. */
    public static final LabelForm<RuleLabel> RULES =
            new LabelForm<>(
                    List.of(new Cell<>("line", RuleLabel::place)),
                    List.of(new Cell<>("rule", RuleLabel::words)),
                    List.of(new Cell<>("rule", RuleLabel::words)),
                    LabelForm::put,
                    false,
                    false);

    /** Pairs of rules: that of before, and that of after. */
    public static final LabelForm<OutcomeChange> CHANGES =
            new LabelForm<>(
                    List.of(
                            new Cell<>("was", OutcomeChange::was),
                            new Cell<>("old line", change -> change.old().place()),
                            new Cell<>("is", OutcomeChange::is),
                            new Cell<>("new line", change -> change.fresh().place())),
                    behind(DifferenceTable::headers),
                    behind(DifferenceTable::plainHeaders),
                    (change, row) -> {
                        put(change.old(), row.putObject("old").put("outcome", change.was()));
                        put(change.fresh(), row.putObject("new").put("outcome", change.is()));
                        DiffPair unmet = change.unmet();
                        if (unmet != null) {
                            row.put("headers", unmet.size().toString());
                            row.put("headers_at_least", unmet.atLeast());
                            row.put("where", unmet.where());
                            row.put("where_exact", unmet.exact());
                            put(row, "state", unmet.state());
                        }
                    },
                    true,
                    true);

    /** Pairs of rules, of packets whose connections nobody counted. */
    public static final LabelForm<OutcomeChange> SHADOW =
            new LabelForm<>(
                    CHANGES.before, CHANGES.behind, CHANGES.plain, CHANGES.json, false, true);

    /** Packets of pairs that nobody met. */
    static final List<Cell<OutcomeChange>> UNMET = unmet(DifferenceTable::headers);

    private static List<Cell<OutcomeChange>> unmet(Function<DiffPair, String> headers) {
        return List.of(
                new Cell<>("headers", change -> of(change, headers)),
                new Cell<>("where", change -> of(change, DifferenceTable::packetsOfState)));
    }

    private static List<Cell<OutcomeChange>> behind(Function<DiffPair, String> headers) {
        return Stream.concat(
                        Stream.of(
                                new Cell<OutcomeChange>("old rule", change -> change.old().words()),
                                new Cell<OutcomeChange>(
                                        "new rule", change -> change.fresh().words())),
                        unmet(headers).stream())
                .toList();
    }

    private static String of(OutcomeChange change, Function<DiffPair, String> cell) {
        DiffPair unmet = change.unmet();
        return unmet == null ? "" : cell.apply(unmet);
    }

    private static void put(RuleLabel rule, ObjectNode to) {
        to.put("line", rule.line() == 0 ? null : Integer.valueOf(rule.line()));
        to.put("action", rule.action());
        to.put("rule", rule.words());
    }

    /** Puts a value that is known. */
    static void put(ObjectNode fields, String name, Object value) {
        if (!value.equals("")) {
            fields.putPOJO(name, value);
        }
    }
}
