package dev.sluice.job.hits;

import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.job.capture.CaptureBatch;
import dev.sluice.policy.questions.LintRule.Line;
import dev.sluice.policy.questions.RuleUse;
import dev.sluice.policy.questions.UsedParts;
import dev.sluice.schemas.codec.RuleStatistics;
import dev.sluice.schemas.header.HeaderWord;
import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Packets that hit the lines of a rule file, as a job or captures tell. Not thread-safe. */
public final class LineUses {
    /** Most packets that are kept of those that depend, without equal ones. */
    private static final int MOST_DEPENDING = 1_000;

    private final Set<IntBuffer> depending = new HashSet<>();
    private long allDepending;
    private final Map<Integer, UsedParts> parts = new HashMap<>();
    private final Map<Key, RuleUse> uses = new HashMap<>();

    private record Key(int line, String text, String action) {}

    /**
     * Adds the addresses, ports and protocols of a batch, and its packets that depend.
     *
     * @param batch states {@link UsedParts#wordBits}
     * @param found the verdicts of its packets by {@code hits}
     */
    public void add(CaptureBatch batch, VerdictBatch found, CaptureHits hits) {
        long named = batch.headers().layout().wordBits();
        int[] header = new int[HeaderWord.COUNT];
        for (int i = 0; i < batch.headers().size(); i++) {
            batch.words(i, header);
            add(header, named, found.rule(i));
            if (found.rule(i) != VerdictBatch.MISS
                    && hits.rule(found.rule(i)).isDepends()
                    && depending.size() <= MOST_DEPENDING) {
                depending.add(IntBuffer.wrap(header.clone()));
            }
            for (int stage = 0; stage < hits.earlierStages(); stage++) {
                add(header, named, found.earlier(stage)[i]);
            }
        }
    }

    private void add(int[] header, long named, int rule) {
        if (rule != VerdictBatch.MISS) {
            parts.computeIfAbsent(rule, fresh -> new UsedParts()).add(header, named);
        }
    }

    /**
     * Adds hits, those of captures after their batches.
     *
     * @param statistics at most one of each rule
     */
    public void add(KnownRules rules, List<RuleStatistics> statistics) {
        Map<Long, UsedParts> byId = new HashMap<>();
        List<Rule> ordered = rules.inForce().rules();
        parts.forEach((rule, used) -> byId.put(ordered.get(rule).id(), used));
        List<HitRow> rows = new ArrayList<>();
        Set<Integer> unclear = new HashSet<>();
        for (HitRow row : new HitReport(rules).totals(statistics, HitReport.Order.LINE)) {
            if (row.rule() != null && row.rule().isDepends()) {
                unclear.add(row.line());
                allDepending += row.hits() == null ? 0 : row.hits().packets();
            } else if (row.standing() == HitRow.Standing.IN_FORCE) {
                rows.add(row);
            }
        }
        for (HitRow row : rows) {
            Rule rule = row.rule();
            RuleStatistics hits = row.hits();
            if (rule == null) {
                continue;
            }
            boolean known = !parts.isEmpty() && !unclear.contains(row.line());
            RuleUse use =
                    hits == null
                            ? new RuleUse(0, 0, 0, null, this::mayTake, false)
                            : new RuleUse(
                                    hits.packets(),
                                    hits.firstNs(),
                                    hits.lastNs(),
                                    known ? byId.get(rule.id()) : null,
                                    this::mayTake,
                                    false);
            uses.merge(new Key(rule.line(), rule.text().strip(), rule.action()), use, RuleUse::and);
        }
    }

    private boolean mayTake(Match box) {
        boolean all = depending.size() > MOST_DEPENDING || depending.isEmpty() && allDepending > 0;
        return all || depending.stream().anyMatch(of -> UsedParts.mayTake(box, of.array()));
    }

    /** Number of packets that depend: nobody knows which rules they hit. */
    public long depending() {
        return allDepending;
    }

    /** The packets that hit a line; null: nobody counted them. */
    public @Nullable RuleUse of(Line line) {
        return uses.get(new Key(line.number(), line.text().strip(), line.action()));
    }
}
