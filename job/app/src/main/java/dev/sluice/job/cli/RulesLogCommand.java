package dev.sluice.job.cli;

import dev.sluice.job.kafka.KafkaAccess;
import dev.sluice.job.rules.RuleLogTable;
import dev.sluice.job.rules.RuleLogTable.Row;
import dev.sluice.job.ruletopic.RuleLogEntry;
import dev.sluice.job.ruletopic.RuleRefusals;
import dev.sluice.job.ruletopic.RuleRefusals.Refusal;
import dev.sluice.job.ruletopic.RuleTopic;
import dev.sluice.job.table.LinesOut;
import dev.sluice.job.table.RowsOut;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code sluice rules log}: the transactions of the rules topic. */
@Command(
        name = "log",
        description = {
            "Lists the transactions that the rules topic holds, the oldest first, and which of them readers drop. The "
                    + "dead-letter topic tells which of them jobs refused. A job is named by its "
                    + "--transactional-id-prefix.",
            "Columns for programs: version, kind, put, removed, in force from, committed, publisher, bytes, "
                    + "offset, history, rule set, refusal, default action. A message outside all transactions has offset, time and "
                    + "refusal only. A table for a person has fewer columns, and says where the default action changes.",
            ""
        })
final class RulesLogCommand extends SluiceCommand {
    @Mixin private RowOptions rows = new RowOptions();

    @Mixin
    private TopicOptions topics =
            new TopicOptions(TopicOptions.Topic.RULES, TopicOptions.Topic.DEAD_LETTERS);

    @Override
    public Integer call() {
        RulesTopic topic = new RulesTopic(topics, err());
        List<RuleLogEntry> entries = topic.read(RuleTopic::log);
        List<Refusal> refusals = refusals(topic, entries);
        RowsOut<Row> out = rows.open(RuleLogTable.FORM, LinesOut.all(out()));
        @Nullable RuleLogEntry before = null;
        for (RuleLogEntry entry : entries) {
            List<String> refused = new ArrayList<>();
            String dropped = entry.refusal();
            if (dropped != null) {
                refused.add("dropped: " + dropped);
            }
            refusals.removeIf(refusal -> refusal.isOf(entry) && refused.add(words(refusal)));
            String defaultBefore =
                    before != null && before.history().equals(entry.history())
                            ? before.defaultAction()
                            : entry.defaultAction();
            out.row(new Row(entry, defaultBefore, refused));
            if (entry.isTransaction() && dropped == null) {
                before = entry;
            }
        }
        // Of transactions that are not kept any more.
        for (Refusal refusal : refusals) {
            out.row(new Row(refusal.ofNoEntry(), "", List.of(words(refusal))));
        }
        out.flush();
        return 0;
    }

    private List<Refusal> refusals(RulesTopic topic, List<RuleLogEntry> entries) {
        String letters = topics.name(TopicOptions.Topic.DEAD_LETTERS);
        try (KafkaAccess access = new KafkaAccess(topics.kafka())) {
            if (entries.isEmpty() || !access.readable(letters)) {
                return new ArrayList<>();
            }
        }
        try (topic) {
            return RuleRefusals.read(
                    topics.kafka(), letters, topic.name(), entries.get(0).commitTimeNs(), topic);
        }
    }

    private static String words(Refusal refusal) {
        String who = refusal.job().isEmpty() ? "a job" : "job " + refusal.job();
        return "refused by " + who + ": " + refusal.reason() + ": " + refusal.detail();
    }
}
