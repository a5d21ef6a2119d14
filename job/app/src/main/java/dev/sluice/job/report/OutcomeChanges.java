package dev.sluice.job.report;

import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.capture.CaptureBatch;
import dev.sluice.job.hits.CaptureHits;
import dev.sluice.policy.io.Amount;
import dev.sluice.policy.model.Outcome;
import dev.sluice.policy.questions.PacketWords;
import dev.sluice.policy.questions.SemanticDiff;
import dev.sluice.policy.questions.SemanticDiff.Sides;
import dev.sluice.schemas.codec.PacketField;
import dev.sluice.schemas.header.HeaderWord;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Packets of captures whose outcome two policies tell differently, counted. An outcome is that of a
 * policy; of rules that stand for themselves it is {@code permit}, {@code deny} or another action.
 * Not thread-safe.
 */
public final class OutcomeChanges {
    /** Header words that batches must state, a bit each. */
    public static final long WORDS =
            PacketField.wordBits(PacketCounts.FIELDS) | HeaderWord.bit(HeaderWord.FLOW_PORTS);

    private final List<String> captures;
    private final PacketCounts<OutcomeChange> counts;
    private final ChangedConnections connections;
    private final Map<String, Integer> outcomes = new HashMap<>();
    private final Side old;
    private final Side fresh;
    private final Map<Long, Integer> pairs = new HashMap<>();
    private final int[] words = new int[HeaderWord.COUNT];
    private final List<OutcomeChange> met = new ArrayList<>();
    private boolean denied;
    private boolean permitted;

    /** Packets that depend by both files. */
    private long doubtful;

    /** Rules of a policy by verdict, from {@link VerdictBatch#MISS} on. */
    private final class Side {
        final int[] labels;

        /** Outcomes as numbers, which are those of the other side. */
        final int[] numbers;

        /** Verdicts by which packets depend. */
        final boolean[] depends;

        final List<RuleLabel> rules = new ArrayList<>();
        final List<String> words = new ArrayList<>();

        Side(CaptureHits hits) {
            RuleSet set = hits.ruleSet();
            labels = new int[set.size() + 1];
            numbers = new int[labels.length];
            depends = new boolean[labels.length];
            Map<RuleLabel, Integer> known = new HashMap<>();
            for (int verdict = VerdictBatch.MISS; verdict < set.size(); verdict++) {
                int at = verdict - VerdictBatch.MISS;
                RuleLabel label = label(hits, set, verdict);
                String outcome =
                        set.isPolicy()
                                ? set.outcome(verdict).label()
                                : SemanticDiff.outcome(label.action());
                labels[at] = known.computeIfAbsent(label, fresh -> known.size());
                depends[at] = outcome.equals(Outcome.DEPENDS.label());
                numbers[at] = outcomes.computeIfAbsent(outcome, fresh -> outcomes.size());
                if (labels[at] == rules.size()) {
                    rules.add(label);
                    words.add(outcome);
                }
            }
        }

        private static RuleLabel label(CaptureHits hits, RuleSet set, int verdict) {
            if (verdict == VerdictBatch.MISS) {
                return set.isPolicy()
                        ? new RuleLabel(0, "", "does not come to the policy")
                        : new RuleLabel(0, set.defaultAction(), "");
            }
            Rule rule = hits.rule(verdict);
            return new RuleLabel(rule.line(), rule.action(), rule.text().strip());
        }
    }

    /**
     * Counts of 0.
     *
     * @param captures names of the captures, by their index in batches; may grow
     * @param old judges by the old policy
     * @param fresh judges by the new one
     * @param counts takes the packets
     * @param most most connections that are told apart in their rows
     */
    public OutcomeChanges(
            List<String> captures,
            CaptureHits old,
            CaptureHits fresh,
            PacketCounts<OutcomeChange> counts,
            long most) {
        this.captures = captures;
        this.counts = counts;
        this.old = new Side(old);
        this.fresh = new Side(fresh);
        connections = new ChangedConnections(most);
    }

    /**
     * Counts the packets of a batch whose outcome changes.
     *
     * @param batch which is {@link CaptureBatch#stating} the words of {@link #WORDS}
     */
    public void add(CaptureBatch batch, VerdictBatch before, VerdictBatch after) {
        int header = 0;
        for (int i = 0; i < batch.packets(); i++) {
            if (batch.reason(i) == null) {
                int was = before.rule(header) - VerdictBatch.MISS;
                int is = after.rule(header) - VerdictBatch.MISS;
                if (old.numbers[was] != fresh.numbers[is]) {
                    count(batch, i, header, old.labels[was], fresh.labels[is]);
                } else if (old.depends[was]) {
                    doubtful++;
                }
                header++;
            }
        }
    }

    private void count(CaptureBatch batch, int packet, int header, int was, int is) {
        batch.words(header, words);
        TopTable.Entry<PacketCounts.Key> row =
                counts.add(
                        pairs.computeIfAbsent(
                                (long) was << Integer.SIZE | is, pair -> pair(was, is)),
                        field -> field.value(words),
                        batch.headerLengths()[header],
                        batch.headerTimes()[header]);
        if (row.example().isEmpty()) {
            row.example(
                    "%s#%d: %s"
                            .formatted(
                                    captures.get(batch.capture()),
                                    batch.number(packet),
                                    PacketWords.example(words)));
        }
        connections.add(words, row);
    }

    private int pair(int was, int is) {
        OutcomeChange change =
                new OutcomeChange(
                        old.rules.get(was),
                        old.words.get(was),
                        fresh.rules.get(is),
                        fresh.words.get(is));
        met.add(change);
        denied |= change.gains(true);
        permitted |= change.gains(false);
        return counts.rule(change);
    }

    /** Returns how many packets depend by both files, so that they may have met any difference. */
    long doubtful() {
        return doubtful;
    }

    /** Returns whether some packet met lines of a difference. */
    boolean met(Sides of) {
        return met.stream().anyMatch(change -> change.meets(of));
    }

    /** Returns whether the new policy denies, or may deny, packets that the old one does not. */
    public boolean mayDeny() {
        return denied;
    }

    /** Returns whether the new policy permits, or may permit, packets that the old one does not. */
    public boolean mayPermit() {
        return permitted;
    }

    /** Returns whether no packet's outcome changes. */
    public boolean isEmpty() {
        return counts.packets() == 0;
    }

    /**
     * The counted packets in words.
     *
     * @param packets number of all packets
     */
    public String describe(long packets) {
        return "%,d of %s of %s%s: another outcome"
                .formatted(
                        counts.packets(),
                        Amount.of(packets, "packet"),
                        connections.isFull() ? "at least " : "",
                        Amount.of(connections.size(), "connection"));
    }
}
