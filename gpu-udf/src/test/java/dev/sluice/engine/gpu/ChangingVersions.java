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
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.versions.VersionedTuples;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderWord;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * Rules that come and go behind a compiled base, the words that a device copies of them, and what
 * linear search says of every version. One thread writes; versions may be used by any.
 */
final class ChangingVersions implements ChangeSource {
    private final Random random;
    private final Supplier<Match> matches;
    private final RuleSet base;
    private final Classifier cpu;
    private final VersionedTuples tuples;
    private final int[] removedAt;
    private final int[] all;
    private final GrowingWords inserted;
    private final GrowingWords removed;

    /** Base rules that are there. */
    private final List<Integer> left = new ArrayList<>();

    private final List<Came> came = new ArrayList<>();
    private final TreeMap<Integer, Integer> inUse = new TreeMap<>();
    private int slots;
    private volatile int tick;

    /** A rule that came. */
    private record Came(int slot, int precede, long sub, Match match) {}

    /** A rule of a version and the verdict that names it. */
    private record Named(int verdict, Match match) {}

    /** Rules, the first version of which is their base. */
    ChangingVersions(Random random, Supplier<Match> matches, Algorithm algorithm, int count) {
        this.random = random;
        this.matches = matches;
        List<Rule> rules = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            rules.add(new Rule(i + 1, 0, matches.get(), "a", i + 1));
            left.add(i);
        }
        base = RuleSet.of("base", 1, RuleSet.DROP, rules);
        cpu = Engine.compile(base, EngineOptions.of(algorithm));
        tuples = new VersionedTuples(base.layout(), 1L << 26);
        inserted = new GrowingWords(tuples.words(), tuples.spentWords());
        tuples.record(inserted);
        removedAt = new int[count];
        Arrays.fill(removedAt, Integer.MAX_VALUE);
        removed = new GrowingWords(removedAt, count);
        MergedTupleStructure structure =
                new MergedTupleStructure(base.layout(), new Arena("all", 1L << 26));
        for (int i = 0; i < count; i++) {
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

    /** Some rules go and some come, all at once; the version after. */
    Version change(int removes, int inserts) {
        int next = tick + 1;
        for (int k = 0; k < removes; k++) {
            if (random.nextBoolean() && !left.isEmpty()) {
                int position = left.remove(random.nextInt(left.size()));
                removedAt[position] = next;
                removed.written(position, 1);
            } else if (!came.isEmpty()) {
                tuples.remove(next, came.remove(random.nextInt(came.size())).slot);
            }
        }
        for (int k = 0; k < inserts; k++) {
            int precede = random.nextInt(base.size() + 1);
            long sub = random.nextLong() >>> 1;
            Came rule = new Came(slots++, precede, sub, matches.get());
            tuples.insert(next, rule.slot, rule.match, precede, sub);
            came.add(rule);
        }
        inserted.publish(tuples.words(), tuples.spentWords());
        removed.publish(removedAt, removedAt.length);
        tick = next;
        return version();
    }

    /** The version of now. */
    Version version() {
        List<Named> ordered = new ArrayList<>();
        List<Came> sorted = new ArrayList<>(came);
        sorted.sort(Comparator.comparingInt(Came::precede).thenComparingLong(Came::sub));
        int at = 0;
        for (int position = 0; position <= base.size(); position++) {
            for (; at < sorted.size() && sorted.get(at).precede == position; at++) {
                ordered.add(new Named(base.size() + sorted.get(at).slot, sorted.get(at).match));
            }
            if (position < base.size() && removedAt[position] == Integer.MAX_VALUE) {
                ordered.add(new Named(position, base.rules().get(position).match()));
            }
        }
        synchronized (inUse) {
            inUse.merge(tick, 1, Integer::sum);
            tuples.oldestTick(inUse.firstKey());
        }
        return new Version(tick, tuples.directory(), ordered);
    }

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
