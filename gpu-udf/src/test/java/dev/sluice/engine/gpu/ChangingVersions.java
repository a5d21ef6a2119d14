package dev.sluice.engine.gpu;

import dev.sluice.engine.Engine;
import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.lookup.VersionLookUp;
import dev.sluice.engine.memory.Arena;
import dev.sluice.engine.memory.ChangeSource;
import dev.sluice.engine.memory.GrowingWords;
import dev.sluice.engine.merged.MergedTupleStructure;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.testing.RuleHistory;
import dev.sluice.engine.testing.RulesSinceBase;
import dev.sluice.engine.versions.VersionedTuples;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;
import dev.sluice.schemas.header.HeaderWord;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;

/**
 * Rules that come and go behind a compiled base, the words that a device copies of them, and what
 * linear search says of every version. One thread writes; versions may be used by any.
 */
final class ChangingVersions implements ChangeSource {
    private final RuleSet base;
    private final Classifier cpu;
    private final RuleHistory history;
    private final RulesSinceBase since;
    private final VersionedTuples tuples;
    private final int[] removedAt;
    private final int[] all;
    private final GrowingWords inserted;
    private final GrowingWords removed;
    private final TreeMap<Integer, Integer> inUse = new TreeMap<>();
    private volatile int tick;

    /**
     * Rules, the first version of which is their base.
     *
     * @param layout words that rules look at, those of later rules too
     */
    ChangingVersions(RuleSet rules, HeaderLayout layout, Algorithm algorithm) {
        base = new RuleSet(rules.name(), 1, rules.defaultAction(), rules.rules(), layout);
        cpu = Engine.compile(base, EngineOptions.of(algorithm));
        history = new RuleHistory(base.rules());
        since = new RulesSinceBase(base);
        tuples = new VersionedTuples(layout, 1L << 26);
        inserted = new GrowingWords(tuples.words(), tuples.spentWords());
        tuples.record(inserted);
        removedAt = new int[base.size()];
        Arrays.fill(removedAt, Integer.MAX_VALUE);
        removed = new GrowingWords(removedAt, base.size());
        MergedTupleStructure structure =
                new MergedTupleStructure(layout, new Arena("all", 1L << 26));
        for (int i = 0; i < base.size(); i++) {
            structure.insert(i, i, base.rules().get(i).match());
        }
        all = structure.arena().toArray();
    }

    RuleSet base() {
        return base;
    }

    Classifier cpu() {
        return cpu;
    }

    /** The ids of the rules that a look-up names. */
    long[] ids(int[] verdicts) {
        synchronized (since) {
            return since.ids(verdicts);
        }
    }

    /** Some rules go and some come, all at once; the version after. */
    Version change(RuleDelta delta) {
        int next = tick + 1;
        history.apply(delta);
        synchronized (since) {
            for (long id : delta.removes()) {
                int verdict = since.remove(id);
                if (verdict < base.size()) {
                    removedAt[verdict] = next;
                    removed.written(verdict, 1);
                } else {
                    tuples.remove(next, verdict - base.size());
                }
            }
            for (Rule rule : delta.inserts()) {
                RulesSinceBase.Came came = since.insert(rule);
                tuples.insert(next, came.slot(), rule.match(), came.precede(), came.sub());
            }
        }
        inserted.publish(tuples.words(), tuples.spentWords());
        removed.publish(removedAt, removedAt.length);
        tick = next;
        return version();
    }

    /** The version of now. */
    Version version() {
        List<Named> ordered = new ArrayList<>();
        for (Rule rule : history.ruleSet().rules()) {
            ordered.add(new Named(since.verdict(rule.id()), rule.match()));
        }
        synchronized (inUse) {
            inUse.merge(tick, 1, Integer::sum);
            tuples.oldestTick(inUse.firstKey());
        }
        return new Version(tick, tuples.directory(), ordered);
    }

    /** A rule of a version and the verdict that names it. */
    private record Named(int verdict, Match match) {}

    /** A version, which is in use until it is closed. */
    final class Version implements VersionLookUp, AutoCloseable {
        private final int at;
        private final int directory;
        private final List<Named> rules;

        Version(int at, int directory, List<Named> rules) {
            this.at = at;
            this.directory = directory;
            this.rules = rules;
        }

        @Override
        public boolean changed() {
            return at > 0;
        }

        @Override
        public int tick() {
            return at;
        }

        @Override
        public int directory() {
            return directory;
        }

        @Override
        public ChangeSource source() {
            return ChangingVersions.this;
        }

        @Override
        public void classify(HeaderBatch headers, VerdictBatch verdicts) {
            System.arraycopy(expected(headers), 0, verdicts.rules(), 0, headers.size());
        }

        /** What linear search says. */
        int[] expected(HeaderBatch headers) {
            int[] verdicts = new int[headers.size()];
            int[] header = new int[HeaderWord.COUNT];
            for (int i = 0; i < headers.size(); i++) {
                for (int p = 0; p < headers.layout().size(); p++) {
                    header[headers.layout().word(p)] = headers.word(p, i);
                }
                verdicts[i] = VerdictBatch.MISS;
                for (Named rule : rules) {
                    if (rule.match.matches(header)) {
                        verdicts[i] = rule.verdict;
                        break;
                    }
                }
            }
            return verdicts;
        }

        @Override
        public void close() {
            synchronized (inUse) {
                inUse.computeIfPresent(at, (t, users) -> users == 1 ? null : users - 1);
            }
        }
    }

    @Override
    public GrowingWords inserted() {
        return inserted;
    }

    @Override
    public GrowingWords removed() {
        return removed;
    }

    @Override
    public int[] all() {
        return all;
    }

    @Override
    public int tick() {
        return tick;
    }
}
