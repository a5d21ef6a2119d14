package dev.sluice.engine.versions;

import dev.sluice.engine.Engine;
import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.SampleHeaders;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.testing.RandomRules;
import dev.sluice.engine.testing.RandomRules.Shape;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderBatch;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.zip.GZIPInputStream;

/**
 * Worth of each accelerator of look-ups in changed rules: the time of a look-up with the
 * accelerator off, as a share of the time with all of them, on each policy under each load. The
 * contenders take turns; a figure is the median of the rounds.
 */
public final class AcceleratorWorth {
    private static final int BATCH = 4096;
    private static final int BATCHES = 8;
    private static final int ROUNDS = 15;
    private static final long ROUND_NANOS = 30_000_000;
    private static final long BUDGET = 1L << 30;
    private static final Accelerators ALL = Accelerators.STANDARD;

    /** Changes before a round, and one more each millisecond of it or none. */
    private enum Load {
        STATIC(0, false),
        HOT_RULE_REMOVED(1, false),
        CHANGES_156(156, true),
        CHANGES_1000(1_000, true),
        CHANGES_5000(5_000, true);

        final int changes;
        final boolean more;

        Load(int changes, boolean more) {
            this.changes = changes;
            this.more = more;
        }
    }

    /** A policy, its rules that are inserted later, and headers. */
    private record Policy(String name, Base base, List<Rule> later, HeaderBatch[] headers) {}

    private AcceleratorWorth() {}

    /** Takes files of ClassBench rules, gzipped; measures random policies without any. */
    public static void main(String... files) throws IOException {
        List<RuleSet> policies = new ArrayList<>();
        for (String file : files) {
            policies.add(read(Path.of(file)));
        }
        List<Shape> shapes =
                files.length > 0
                        ? List.of(Shape.OPENFLOW)
                        : List.of(Shape.ACCESS_LIST, Shape.FIREWALL, Shape.OPENFLOW);
        for (Shape shape : shapes) {
            RuleSet random = new RandomRules(1).ruleSet(shape, 4_000);
            policies.add(
                    RuleSet.of(shape.label(), 1, random.defaultAction(), random.rules()));
        }
        Map<String, Accelerators> contenders = contenders();
        System.out.printf("%-16s %-17s %10s", "policy", "load", "ns/header");
        contenders.keySet().stream().skip(1).forEach(off -> System.out.printf(" %10s", off));
        System.out.println();
        for (RuleSet rules : policies) {
            Policy policy = policy(rules);
            for (Load load : Load.values()) {
                double[] nanos = measure(policy, load, List.copyOf(contenders.values()));
                System.out.printf("%-16s %-17s %10.1f", policy.name, load, nanos[0]);
                for (int c = 1; c < nanos.length; c++) {
                    System.out.printf(" %+9.1f%%", 100 * (nanos[c] / nanos[0] - 1));
                }
                System.out.println();
            }
        }
    }

    private static Map<String, Accelerators> contenders() {
        int none = Integer.MAX_VALUE;
        Map<String, Accelerators> all = new LinkedHashMap<>();
        all.put("all", ALL);
        all.put("pruning", with(none, ALL.entries(), ALL.wide(), ALL.compared(), ALL.followers(), 6));
        all.put("vectors", with(2, 0, 0, ALL.compared(), ALL.followers(), 6));
        all.put("wide", with(2, ALL.entries(), 0, ALL.compared(), ALL.followers(), 6));
        all.put("touched", with(2, ALL.entries(), ALL.wide(), 0, ALL.followers(), 6));
        all.put("followers", with(2, ALL.entries(), ALL.wide(), ALL.compared(), 0, 6));
        all.put("gathering", with(2, ALL.entries(), ALL.wide(), ALL.compared(), ALL.followers(), 0));
        return all;
    }

    private static Accelerators with(
            int allTuples, int entries, int wide, int compared, int followers, int gathered) {
        return new Accelerators(
                allTuples,
                ALL.halves(),
                entries,
                wide,
                ALL.groupsForAll(),
                ALL.slots(),
                compared,
                ALL.comparisons(),
                followers,
                gathered);
    }

    /** One rule in eight is inserted later. */
    private static Policy policy(RuleSet rules) {
        List<Rule> first = new ArrayList<>();
        List<Rule> later = new ArrayList<>();
        for (int r = 0; r < rules.size(); r++) {
            (r % 8 == 3 ? later : first).add(rules.rules().get(r));
        }
        RuleSet set =
                new RuleSet(rules.name(), 1, rules.defaultAction(), first, rules.layout());
        Classifier classifier = Engine.compile(set, EngineOptions.DEFAULTS);
        Base base = new Base(set, classifier);
        base.buildAll(BUDGET);
        SampleHeaders sample = new SampleHeaders(rules, 1);
        HeaderBatch[] headers = new HeaderBatch[BATCHES];
        Arrays.setAll(headers, b -> sample.batch(rules.layout(), BATCH));
        return new Policy(rules.name(), base, later, headers);
    }

    private static double[] measure(Policy policy, Load load, List<Accelerators> contenders) {
        double[][] nanos = new double[contenders.size()][ROUNDS];
        for (int round = -3; round < ROUNDS; round++) {
            for (int c = 0; c < nanos.length; c++) {
                double taken = round(policy, load, contenders.get(c));
                if (round >= 0) {
                    nanos[c][round] = taken;
                }
            }
        }
        return Arrays.stream(nanos)
                .mapToDouble(all -> Arrays.stream(all).sorted().toArray()[ROUNDS / 2])
                .toArray();
    }

    /** Nanoseconds a header of look-ups, those of the changes between them left out. */
    private static double round(Policy policy, Load load, Accelerators accelerators) {
        VersionedRules rules =
                new VersionedRules(policy.base, Lines.NONE, BUDGET, accelerators);
        VerdictBatch verdicts = new VerdictBatch(BATCH);
        Changes changes = new Changes(policy, rules);
        if (load == Load.HOT_RULE_REMOVED) {
            rules.apply(RuleDelta.remove(hottest(policy, verdicts)));
        } else {
            for (int k = 0; k < load.changes; k++) {
                changes.next();
            }
        }
        long taken = 0;
        long headers = 0;
        long due = 1_000_000;
        while (taken < ROUND_NANOS) {
            try (VersionView version = rules.view()) {
                for (HeaderBatch batch : policy.headers) {
                    long start = System.nanoTime();
                    version.classify(batch, verdicts);
                    taken += System.nanoTime() - start;
                    headers += batch.size();
                }
            }
            for (; load.more && due < taken; due += 1_000_000) {
                changes.next();
            }
        }
        return (double) taken / headers;
    }

    private static long hottest(Policy policy, VerdictBatch verdicts) {
        int[] hits = new int[policy.base.size()];
        for (HeaderBatch batch : policy.headers) {
            policy.base.classifier().classify(batch, verdicts);
            for (int i = 0; i < batch.size(); i++) {
                int rule = verdicts.rules()[i];
                if (rule >= 0) {
                    hits[rule]++;
                }
            }
        }
        int most = 0;
        for (int r = 0; r < hits.length; r++) {
            most = hits[r] > hits[most] ? r : most;
        }
        return policy.base.id(most);
    }

    /** Changes of a policy's rules, in turns one that comes and one that goes. */
    private static final class Changes {
        private final Random random = new Random(1);
        private final Policy policy;
        private final VersionedRules rules;
        private int count;

        Changes(Policy policy, VersionedRules rules) {
            this.policy = policy;
            this.rules = rules;
        }

        void next() {
            Rule comes = policy.later.get(count++ / 2 % policy.later.size());
            if (count % 2 == 1) {
                rules.apply(RuleDelta.insert(comes));
                return;
            }
            long goes;
            do {
                goes = policy.base.id(random.nextInt(policy.base.size()));
            } while (rules.rule(goes) == null);
            rules.apply(RuleDelta.remove(goes));
        }
    }

    /** Rules of a file of ClassBench: addresses, port ranges, protocol. */
    private static RuleSet read(Path file) throws IOException {
        List<Rule> rules = new ArrayList<>();
        try (BufferedReader in =
                new BufferedReader(
                        new InputStreamReader(
                                new GZIPInputStream(Files.newInputStream(file)),
                                StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                String[] columns = line.substring(1).trim().split("\\s+");
                Match.Builder match = new Match.Builder();
                address(match, Field.IPV4_SRC, columns[0]);
                address(match, Field.IPV4_DST, columns[1]);
                match.ports(
                        Field.SRC_PORT,
                        Integer.parseInt(columns[2]),
                        Integer.parseInt(columns[4]));
                match.ports(
                        Field.DST_PORT,
                        Integer.parseInt(columns[5]),
                        Integer.parseInt(columns[7]));
                String[] protocol = columns[8].split("/");
                match.field(
                        Field.IP_PROTO, Integer.decode(protocol[0]), Integer.decode(protocol[1]));
                int number = rules.size() + 1;
                rules.add(new Rule(number, -number, match.build(), "drop", number));
            }
        }
        return RuleSet.of(
                file.getFileName().toString().replace(".rules.gz", ""), 1, RuleSet.DROP, rules);
    }

    private static void address(Match.Builder match, Field field, String prefix) {
        String[] parts = prefix.split("[./]");
        int value = 0;
        for (int k = 0; k < 4; k++) {
            value = value << 8 | Integer.parseInt(parts[k]);
        }
        int length = Integer.parseInt(parts[4]);
        int mask = length == 0 ? 0 : -1 << 32 - length;
        match.field(field, value & mask, mask);
    }
}
