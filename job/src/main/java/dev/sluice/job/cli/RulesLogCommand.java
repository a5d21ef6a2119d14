package dev.sluice.job.cli;

import dev.sluice.job.kafka.KafkaAccess;
import dev.sluice.job.kafka.RuleLogEntry;
import dev.sluice.job.kafka.RuleRefusals;
import dev.sluice.job.kafka.RuleRefusals.Refusal;
import dev.sluice.job.kafka.RuleTopic;
import dev.sluice.job.rules.RuleTable;
import java.io.PrintWriter;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code sluice rules log}: the transactions of the rules topic. */
@Command(
        name = "log",
        description = {
            "Lists the transactions of the rules topic that are kept, the oldest first, with those that readers "
                    + "drop and those that jobs refused, as the dead-letter topic tells.",
            "Columns, separated by tabs: version, kind, put, removed, in force from, committed, publisher, "
                    + "bytes, offset, history, rule set, refusal.",
            ""
        })
final class RulesLogCommand implements Callable<Integer> {
    private static final int SHORT_HISTORY = 8;

    @Spec private CommandSpec spec;

    @Option(names = "--json", description = "Print a line of JSON a transaction.")
    private boolean json;

    @Mixin private TopicOptions topics = new TopicOptions();

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        RulesTopic topic = new RulesTopic(topics, spec.commandLine().getErr());
        List<RuleLogEntry> entries;
        try (RulesTopic.Bar bar = topic.bar();
                RuleTopic open = topic.open(bar)) {
            entries = open.log();
        }
        List<Refusal> refusals = refusals(topic, entries);
        if (!json) {
            out.println(
                    "version\tkind\tput\tremoved\tin force from\tcommitted\tpublisher\tbytes\toffset\thistory\trule set\trefusal");
        }
        for (RuleLogEntry entry : entries) {
            List<String> refused = new ArrayList<>();
            String dropped = entry.refusal();
            if (dropped != null) {
                refused.add("dropped: " + dropped);
            }
            refusals.removeIf(refusal -> refusal.isOf(entry) && refused.add(words(refusal)));
            out.println(json ? RuleTable.json(fields(entry, refused)) : line(entry, refused));
        }
        // Of transactions that are not kept any more, or of messages that belong to none.
        for (Refusal refusal : refusals) {
            out.println(
                    json
                            ? RuleTable.json(Map.of("refused", List.of(words(refusal))))
                            : "\t\t\t\t\t%s\t\t\t%s\t\t\t%s"
                                    .formatted(
                                            time(refusal.timeNs()),
                                            refusal.offset() < 0 ? "" : refusal.offset(),
                                            cell(words(refusal))));
        }
        out.flush();
        return 0;
    }

    private List<Refusal> refusals(RulesTopic topic, List<RuleLogEntry> entries) {
        String letters = topics.names().deadLetters();
        try (KafkaAccess access = new KafkaAccess(topics.bootstrap())) {
            if (entries.isEmpty() || !access.exists(letters)) {
                return new ArrayList<>();
            }
        }
        try (RulesTopic.Bar bar = topic.bar()) {
            return RuleRefusals.read(
                    topics.bootstrap(), letters, topic.name(), entries.get(0).commitTimeNs(), bar);
        }
    }

    private static String words(Refusal refusal) {
        return "refused by a job: " + refusal.reason() + ": " + refusal.detail();
    }

    private static String line(RuleLogEntry e, List<String> refused) {
        return String.join(
                "\t",
                String.valueOf(e.version()),
                e.kind().name().toLowerCase(Locale.ROOT),
                String.valueOf(e.puts()),
                String.valueOf(e.removes()),
                e.inForceNs() == Long.MIN_VALUE ? "" : time(e.inForceNs()),
                time(e.commitTimeNs()),
                cell(e.publisher()),
                String.valueOf(e.bytes()),
                String.valueOf(e.offset()),
                e.history().substring(0, Math.min(SHORT_HISTORY, e.history().length())),
                cell(e.ruleSet()),
                cell(String.join("; ", refused)));
    }

    private static Map<String, Object> fields(RuleLogEntry e, List<String> refused) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("version", e.version());
        fields.put("kind", e.kind().name().toLowerCase(Locale.ROOT));
        fields.put("base", e.base());
        fields.put("puts", e.puts());
        fields.put("removes", e.removes());
        fields.put("effective", optionalTime(e.effectiveTimeNs()));
        fields.put("inForceFrom", optionalTime(e.inForceNs()));
        fields.put("committed", time(e.commitTimeNs()));
        fields.put("publisher", e.publisher());
        fields.put("bytes", e.bytes());
        fields.put("offset", e.offset());
        fields.put("history", e.history());
        fields.put("ruleSet", e.ruleSet());
        fields.put("refused", refused);
        return fields;
    }

    private static @Nullable String optionalTime(@Nullable Long ns) {
        return ns == null || ns == Long.MIN_VALUE ? null : time(ns);
    }

    private static String time(long ns) {
        return Instant.EPOCH.plus(ns, ChronoUnit.NANOS).toString();
    }

    private static String cell(String text) {
        return text.replace('\t', ' ').replace('\n', ' ').replace('\r', ' ');
    }
}
