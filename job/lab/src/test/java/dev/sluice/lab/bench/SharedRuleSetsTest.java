package dev.sluice.lab.bench;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.image.MemoryBudgetException;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.AlgorithmChoice;
import dev.sluice.engine.lookup.UnsupportedRulesException;
import dev.sluice.engine.rfc.RfcForm;
import dev.sluice.policy.ExpectedAnswers;
import dev.sluice.policy.HeaderTrace;
import dev.sluice.policy.RuleFile;
import dev.sluice.schemas.testing.SharedData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Every algorithm meets the expected answers of the shared rule sets, of 1,000 to 128,000 rules.
 * The usual run leaves out what takes long; the long one leaves out nothing.
 */
class SharedRuleSetsTest {
    private static final int FEW = 2_000;
    private static final int LARGE = 12_000;

    /** Of the large sets, the usual run asks this one of all algorithms that need not long. */
    private static final String SAMPLE = "acl1_100k";

    /** The large sets for which the usual run has an algorithm chosen. */
    private static final Set<String> LARGE_BY_AUTO = Set.of("ipc1_100k", "openflow_128k");

    private static final String IPV6 = "ipv6_10k";

    /** What the usual run does: the rest would take minutes. */
    private static boolean isUsual(AlgorithmChoice algorithm, String name, int rules) {
        boolean openFlow = name.startsWith("openflow") || name.startsWith("ng_");
        return switch (algorithm.label()) {
            case "rfc", "bitmap-rfc" -> rules < FEW && !openFlow;
            case "linear" -> rules < FEW || name.equals(IPV6);
            case "bitvector" -> rules <= LARGE;
            case "tuple", "bloom", "hash-tree", "mask-filter", "forest" ->
                    rules <= LARGE || name.equals(SAMPLE);
            // Before one of the others, which auto chooses: chosen anew here.
            case "exact-first", "families" -> rules < FEW || name.equals(IPV6);
            // It builds and measures others first.
            case "auto" -> rules <= LARGE ? !name.endsWith("_nd") : LARGE_BY_AUTO.contains(name);
            case "merged-tuple" -> true;
            default -> rules <= LARGE || name.equals(SAMPLE);
        };
    }

    private static List<Path> sets() throws IOException {
        try (Stream<Path> files = Files.list(SharedData.folder("rules"))) {
            List<Path> sets =
                    files.filter(f -> f.toString().endsWith(".rules.gz")).sorted().toList();
            assertTrue(sets.size() >= 15, sets.size() + " sets");
            return sets;
        }
    }

    /** Headers, and the index of the rule that each must meet. */
    private record Expected(String name, HeaderTrace headers, int[] answers) {
        static Expected read(Path trace) {
            HeaderTrace headers = HeaderTrace.read(trace);
            assertTrue(headers.size() >= 1000, trace + " has " + headers.size() + " headers");
            String name = trace.getFileName().toString().replace(".trace.gz", "");
            Path answers = trace.resolveSibling(name + ".exp.gz");
            return new Expected(name, headers, ExpectedAnswers.read(answers, headers.size()));
        }
    }

    /** A rule set and the traces that belong to it. */
    private record SharedSet(String name, RuleFile rules, List<Expected> traces) {
        static SharedSet read(Path file) {
            String name = name(file);
            List<Expected> traces =
                    Stream.of("", "_mix", "_loc")
                            .map(suffix -> file.resolveSibling(name + suffix + ".trace.gz"))
                            .filter(Files::exists)
                            .map(Expected::read)
                            .toList();
            assertTrue(!traces.isEmpty(), "no trace for " + name);
            return new SharedSet(name, RuleFile.read(file, null), traces);
        }

        static String name(Path file) {
            return file.getFileName().toString().replace(".rules.gz", "");
        }

        int size() {
            return rules.rules().size();
        }
    }

    private static EngineOptions options(AlgorithmChoice algorithm) {
        return EngineOptions.DEFAULTS.withAlgorithm(algorithm).withGpu(GpuPool.Selection.OFF);
    }

    /** Whether an algorithm serves the rules; if so, its answers on some traces are right. */
    private static boolean check(EngineOptions options, SharedSet set, List<Expected> traces) {
        AlgorithmChoice algorithm = options.algorithm();
        try (EngineBench bench = new EngineBench(set.rules(), options)) {
            for (Expected trace : traces) {
                assertArrayEquals(
                        trace.answers(),
                        bench.answers(trace.headers()),
                        trace.name() + " by " + algorithm.label());
            }
            return true;
        } catch (UnsupportedRulesException | MemoryBudgetException e) {
            boolean mayRefuse =
                    Algorithm.of(algorithm).map(a -> a.capabilities().mayRefuse()).orElse(false);
            assertTrue(mayRefuse, set.name() + ": " + e.getMessage());
            return false;
        }
    }

    private static void assertServed(SharedSet set, List<String> served, int least) {
        assertTrue(
                served.size() >= least,
                () -> set.name() + " was served by " + served + " alone, not by " + least);
    }

    @Test
    void everyAlgorithmMeetsTheExpectedAnswers() throws IOException {
        for (Path file : sets()) {
            SharedSet set = SharedSet.read(file);
            boolean large = set.size() > LARGE;
            List<String> served = new ArrayList<>();
            for (String label : Algorithm.labels()) {
                AlgorithmChoice algorithm = Algorithm.parse(label);
                if (isUsual(algorithm, set.name(), set.size())) {
                    List<Expected> traces = set.traces();
                    if (label.equals("linear")) {
                        traces = traces.subList(0, 1);
                    } else if (set.size() > FEW) {
                        traces = traces.subList(traces.size() - 1, traces.size());
                    }
                    if (check(options(algorithm), set, traces)) {
                        served.add(label);
                    }
                }
            }
            assertServed(set, served, large ? 1 : 7);
            if (set.name().equals(SAMPLE)) {
                assertServed(set, served, 7);
            }
        }
    }

    /** The tuned form leaves tables plain that caches hold: those of all sets that it serves. */
    @Test
    void compressedTablesMeetTheExpectedAnswers() throws IOException {
        Set<String> names = Set.of("acl1_1k", "fw1_1k", "ipc1_1k", "acl1_10k");
        int served = 0;
        for (Path file : sets()) {
            if (names.contains(SharedSet.name(file))) {
                SharedSet set = SharedSet.read(file);
                EngineOptions plain = options(Algorithm.parse("bitmap-rfc"));
                for (RfcForm form : List.of(RfcForm.EXACT, RfcForm.COMPRESSED)) {
                    EngineOptions options =
                            plain.withTuning(plain.tuning().with(RfcForm.OPTION, form));
                    served += check(options, set, set.traces()) ? 1 : 0;
                }
            }
        }
        assertEquals(2 * names.size(), served);
    }

    @Tag("long")
    @Test
    void everyAlgorithmMeetsEveryExpectedAnswer() throws IOException {
        for (Path file : sets()) {
            SharedSet set = SharedSet.read(file);
            List<String> served = new ArrayList<>();
            for (String label : Algorithm.labels()) {
                if (check(options(Algorithm.parse(label)), set, set.traces())) {
                    served.add(label);
                }
            }
            long serveAll =
                    Algorithm.all().stream().filter(a -> !a.capabilities().mayRefuse()).count();
            assertServed(set, served, (int) serveAll + 1);
        }
    }
}
