package dev.sluice.job.report;

import dev.sluice.engine.rules.Rule;
import dev.sluice.job.hits.HitPage;
import dev.sluice.job.hits.HitReport;
import dev.sluice.job.hits.HitRow;
import dev.sluice.job.hits.KnownRules;
import dev.sluice.job.hits.StatisticsTopic;
import dev.sluice.job.hits.TopicRules;
import dev.sluice.job.kafka.LiveTopics;
import dev.sluice.job.page.Page;
import dev.sluice.job.page.PageColumn;
import dev.sluice.job.page.PageColumn.Kind;
import dev.sluice.job.page.PageSection;
import dev.sluice.job.read.NamedPackets;
import dev.sluice.job.read.SchemaIds;
import dev.sluice.job.read.VerdictRow;
import dev.sluice.job.read.VerdictRow.RuleFacts;
import dev.sluice.job.read.VerdictRows;
import dev.sluice.policy.model.Outcome;
import dev.sluice.schemas.codec.Connection;
import dev.sluice.schemas.codec.DeadLetter;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.PacketField;
import dev.sluice.schemas.codec.RuleStatistics;
import dev.sluice.schemas.codec.VerdictOutcome;
import dev.sluice.schemas.codec.VerdictStatus;
import dev.sluice.schemas.header.Field;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Page of a running job, out of the messages of its topics.
 *
 * <p>Memory is bounded, however long the job runs: by the rules in force, by {@value #MOST_REMOVED}
 * removed ones and twice as many with hits, by fixed numbers of rows and buckets, and by {@code
 * --shadow-pairs} of the job.
 *
 * <p>Thread-safe: messages come from one thread, and others ask for the page.
 */
public final class LiveReport {
    private static final int MOST_REMOVED = 200_000;
    private static final int MOST_ROWS = 250_000;
    private static final int MOST_REASONS = 1_000;
    private static final String OTHER_REASONS = "other reasons";
    private static final PacketField LENGTH = PacketField.of(Field.FRAME_LENGTH);

    private final TopicRules rules = new TopicRules(MOST_REMOVED / 2);
    private final StatisticsTopic statistics = new StatisticsTopic();
    private final OutcomeSeries series = new OutcomeSeries();
    private final PacketCounts<Decider> denied =
            new PacketCounts<>(
                    Set.of(ReportColumn.RULE, ReportColumn.SOURCE, ReportColumn.SERVICE),
                    MOST_ROWS);
    private final TopConnections connections = new TopConnections(true);
    private final ShadowCounts shadow = new ShadowCounts();
    private final Map<String, Long> deadLetters = new TreeMap<>();
    private final Set<String> assumed = new TreeSet<>();
    private final VerdictRows verdicts;
    private long packets;
    private long told;
    private boolean isHitKnown;

    /**
     * Rule that denies packets, as verdicts name it.
     *
     * @param id null: no rule matched
     * @param others whether it stands for all rules beyond those that are told apart
     */
    private record Decider(@Nullable Long id, String action, boolean others) {}

    private static final Decider OTHERS = new Decider(null, "", true);

    private final class Newest implements VerdictRows.Rules {
        @Override
        public RuleFacts rule(long id, String history, long version) {
            Rule rule = rules.rule(id);
            return rule == null ? RuleFacts.UNKNOWN : RuleFacts.of(rule);
        }

        @Override
        public String defaultAction(String history, long version) {
            return rules.defaultAction();
        }
    }

    /**
     * Counts of 0.
     *
     * @param packets that verdicts name by their place
     */
    public LiveReport(SchemaIds ids, NamedPackets packets) {
        verdicts = new VerdictRows(ids, new Newest(), packets);
    }

    /** Takes a message of the rules topic. */
    public synchronized void rules(ConsumerRecord<byte[], byte[]> message) {
        rules.take(message);
    }

    /** Takes a message of the statistics topic. */
    public synchronized void statistics(ConsumerRecord<byte[], byte[]> message)
            throws MalformedMessageException {
        statistics.take(message);
        isHitKnown = true;
    }

    /** Takes a message of the verdicts topic. */
    public synchronized void verdicts(ConsumerRecord<byte[], byte[]> message)
            throws MalformedMessageException {
        verdicts.visit(
                value(message),
                row -> {
                    count(row);
                    return true;
                });
    }

    private void count(VerdictRow row) {
        packets++;
        if (row.status() == VerdictStatus.NO_RULES
                || row.status() == VerdictStatus.HISTORY_DELETED) {
            series.addUnjudged(row.timeNs());
            return;
        }
        boolean policy = row.outcome() != VerdictOutcome.NONE;
        String action = row.action().isEmpty() ? "unknown action" : row.action();
        series.add(series.named(policy ? row.outcome().label() : action), row.timeNs());
        if (!row.assumed().isEmpty() && assumed.size() < MOST_REASONS) {
            assumed.add(row.assumed());
        }
        if (policy ? row.outcome() == VerdictOutcome.DENY : Outcome.denies(row.action())) {
            if (row.tellsAddresses() || row.fields().containsKey(PacketField.IP_SRC)) {
                told++;
            }
            Object length = row.fields().get(LENGTH);
            Decider decider = new Decider(row.ruleId(), row.action(), false);
            denied.add(
                    denied.rule(decider, MOST_ROWS, OTHERS),
                    row.fields()::get,
                    length instanceof Integer bytes ? Integer.toUnsignedLong(bytes) : 0,
                    row.timeNs());
        }
    }

    /** Takes a message of the topic of connections. */
    public synchronized void connections(ConsumerRecord<byte[], byte[]> message)
            throws MalformedMessageException {
        if (message.value() != null) {
            connections.accept(Connection.decode(message.value()));
        }
    }

    /** Takes a message of the topic of a shadow's counts. */
    public synchronized void shadow(ConsumerRecord<byte[], byte[]> message)
            throws MalformedMessageException {
        shadow.read(message);
    }

    /** Takes a message of the dead-letter topic. */
    public synchronized void deadLetters(ConsumerRecord<byte[], byte[]> message)
            throws MalformedMessageException {
        DeadLetter letter = DeadLetter.decode(value(message));
        boolean isTold =
                deadLetters.size() < MOST_REASONS || deadLetters.containsKey(letter.reason());
        deadLetters.merge(isTold ? letter.reason() : OTHER_REASONS, 1L, Long::sum);
        DeadLetter.Packet packet = letter.packet();
        if (packet != null) {
            series.addDeadLetter(packet.timeNs());
        }
    }

    private static byte[] value(ConsumerRecord<byte[], byte[]> message) {
        return message.value() == null ? new byte[0] : message.value();
    }

    /**
     * The page as of now.
     *
     * @param notices what cannot be read at present
     * @param topics how far each topic is read
     */
    public synchronized Page page(
            String title, List<String> notices, List<LiveTopics.Standing> topics) {
        KnownRules known = rules.known();
        if (known != null) {
            statistics.keep(known, MOST_REMOVED);
        }
        List<HitRow> rows = known == null ? List.of() : rows(known);
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("packets", packets);
        facts.put("denied", denied.packets());
        facts.put("dead letters", deadLetters.values().stream().mapToLong(n -> n).sum());
        if (known != null) {
            facts.put("version of the rules", known.inForce().version());
            facts.put("rules", new HitReport(known).size());
            if (isHitKnown) {
                facts.put("rules never hit", rows.stream().filter(HitRow::isNeverHit).count());
            }
        }
        if (connections.ended() > 0) {
            facts.put("connections ended", connections.ended());
        }
        if (!shadow.isEmpty()) {
            facts.put("another outcome by the shadow", shadow.different());
        }
        if (!assumed.isEmpty()) {
            facts.put("assumed", String.join("; ", assumed));
        }
        List<PageSection> sections = new ArrayList<>();
        sections.add(series.section());
        sections.add(rules(rows));
        sections.add(denied(known));
        if (!connections.isEmpty()) {
            sections.add(
                    connections.section(
                            "Rows of the topic of connections, of each connection the newest: %,d have ended"
                                    .formatted(connections.ended())));
        }
        if (!shadow.isEmpty()) {
            sections.add(
                    new CountSection<>(
                                    shadow.pairs(),
                                    HostNames.NONE,
                                    CountSection.SHADOW_CHANGES,
                                    false,
                                    true)
                            .section(
                                    "shadow",
                                    "Shadow",
                                    shadow.describe() + ".",
                                    "sluice rules shadow --all"));
        }
        sections.add(
                HitPage.deadLetters(deadLetters)
                        .note(
                                "Packets and messages that cannot be classified count for no rule; sluice cat names each."));
        sections.add(topics(topics));
        return new Page(title, facts, sections, notices);
    }

    private List<HitRow> rows(KnownRules known) {
        List<RuleStatistics> hits = statistics.of(known.history());
        return new HitReport(known).totals(hits, HitReport.Order.PACKETS);
    }

    private PageSection rules(List<HitRow> rows) {
        return isHitKnown
                ? HitPage.rules(rows, null)
                        .note(
                                "Packets and bytes since the job's first start by the rule that decides, in the words of the rule file, as of the job's last checkpoint.")
                : HitPage.rules(List.of(), null)
                        .note(
                                "No statistics have been read, and so no hits of rules are known: they come with each checkpoint of a job without --no-stats.");
    }

    private PageSection denied(@Nullable KnownRules known) {
        Map<Long, Rule> inForce = new LinkedHashMap<>();
        if (known != null) {
            known.inForce().rules().forEach(rule -> inForce.put(rule.id(), rule));
        }
        List<CountSection.Cell<Decider>> columns =
                List.of(
                        new CountSection.Cell<>(
                                new PageColumn("line", Kind.LINE), of -> line(of, inForce)),
                        new CountSection.Cell<>(
                                new PageColumn("rule", Kind.RULE), of -> words(of, inForce)));
        String unknown =
                denied.packets() == told
                        ? ""
                        : " The verdicts of %,d of them tell no addresses; a job sends these by run --verdict-fields 5-tuple,frame-length."
                                .formatted(denied.packets() - told);
        return new CountSection<>(denied, HostNames.NONE, columns, false, false)
                .section(
                        "denied",
                        "Denied",
                        "%,d of %,d packets are denied.%s"
                                .formatted(denied.packets(), packets, unknown),
                        "sluice verdicts --by rule,source,service --all");
    }

    private static String line(Decider of, Map<Long, Rule> inForce) {
        Long id = of.id;
        if (id == null) {
            return of.others ? "-" : "default";
        }
        Rule rule = inForce.get(id);
        return rule == null || rule.line() == 0 ? "-" : String.valueOf(rule.line());
    }

    private String words(Decider of, Map<Long, Rule> inForce) {
        Long id = of.id;
        if (id == null) {
            return of.others ? "other rules" : "default action " + of.action;
        }
        Rule rule = inForce.containsKey(id) ? inForce.get(id) : rules.rule(id);
        return rule == null
                ? "rule " + id
                : rule.text().isBlank() ? rule.action() : rule.text().strip();
    }

    private static PageSection topics(List<LiveTopics.Standing> topics) {
        PageSection section =
                new PageSection(
                        "topics",
                        "Topics",
                        List.of(
                                new PageColumn("topic", Kind.TEXT),
                                PageColumn.number("messages"),
                                PageColumn.number("behind"),
                                PageColumn.number("cannot be read"),
                                new PageColumn("standing", Kind.TEXT)));
        topics.forEach(
                of ->
                        section.row(
                                of.topic(),
                                of.messages(),
                                of.behind(),
                                of.unreadable(),
                                of.standing()));
        return section.note(
                "Messages of the job's topics that were read, and those behind them that are not read yet, with Kafka's own.");
    }
}
