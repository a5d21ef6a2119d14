package dev.sluice.lab.generate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.cli.OptionTypes;
import dev.sluice.job.cli.Ranges;
import dev.sluice.policy.HeaderTrace;
import dev.sluice.policy.RuleFile;
import dev.sluice.schemas.header.HeaderWord;
import dev.sluice.schemas.testing.TestSeed;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

/** Policies have exactly as many rules and kinds as asked for, and chains as deep, for any seed. */
class PolicyRulesTest {
    private static final int[][] COUNTS = {
        {1, 1, 1}, {50, 5, 5}, {50, 50, 24}, {1000, 1, 1}, {1000, 30, 24}, {3000, 3000, 2}
    };

    @TempDir Path folder;

    private record Policy(RuleShape shape, int rules, int kinds, int depth) {
        List<String> lines(long seed) {
            return RuleGenerator.ofPolicy(shape, rules, new PolicyCounts(kinds, depth), seed)
                    .lines();
        }
    }

    private static List<Policy> policies() {
        return Arrays.stream(RuleShape.values())
                .filter(RuleShape::isPolicy)
                .flatMap(
                        shape ->
                                Arrays.stream(COUNTS).map(c -> new Policy(shape, c[0], c[1], c[2])))
                .toList();
    }

    @ParameterizedTest
    @MethodSource("policies")
    void rulesKindsAndDepthAreWhatWasAskedFor(Policy policy) throws Exception {
        List<String> lines = policy.lines(TestSeed.of(1));
        assertEquals(policy.rules, new HashSet<>(lines).size());
        RuleSet rules = read(lines);
        assertEquals(policy.rules, rules.size());
        assertEquals(policy.kinds, kinds(rules), "kinds");
        assertEquals(policy.depth, deepest(rules, HeaderWord.IPV4_SRC), "depth of sources");
        int destinations = deepest(rules, HeaderWord.IPV4_DST);
        if (policy.shape == RuleShape.BLOCKLIST) {
            assertTrue(destinations <= 1, destinations + " destinations in a chain");
        } else {
            assertEquals(policy.depth, destinations, "depth of destinations");
        }
    }

    @ParameterizedTest
    @MethodSource("policies")
    void theSeedDecides(Policy policy) {
        List<String> lines = policy.lines(TestSeed.of(1));
        assertEquals(lines, policy.lines(TestSeed.of(1)));
        assertNotEquals(lines, policy.lines(TestSeed.of(2)));
    }

    @ParameterizedTest
    @MethodSource("policies")
    void theFileSaysWhatTheLinesSay(Policy policy) throws Exception {
        List<String> lines = policy.lines(TestSeed.of(3));
        List<Rule> rules = read(lines).rules();
        for (int i = 0; i < lines.size(); i++) {
            assertEquals(i + 1, rules.get(i).line(), "the first line wins");
            assertEquals(fields(lines.get(i)), fields(rules.get(i).match()), lines.get(i));
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"ZONES", "GROUPS", "FEWSOURCES", "BLOCKLIST"})
    void mostRulesCanMatch(RuleShape shape) throws Exception {
        List<String> lines = new Policy(shape, 1500, 100, 8).lines(TestSeed.of(4));
        List<List<Integer>> rules = lines.stream().map(PolicyRulesTest::fields).toList();
        int hidden = 0;
        for (int r = 0; r < rules.size(); r++) {
            List<Integer> rule = rules.get(r);
            hidden += rules.stream().limit(r).anyMatch(before -> covers(before, rule)) ? 1 : 0;
        }
        int most = rules.size() / 7;
        assertTrue(hidden < most, hidden + " rules are covered by one before them");
    }

    @ParameterizedTest
    @EnumSource(names = {"ZONES", "GROUPS", "FEWSOURCES", "BLOCKLIST"})
    void aFewServicesAreNamedMost(RuleShape shape) throws Exception {
        List<Rule> rules = read(new Policy(shape, 5000, 500, 4).lines(TestSeed.of(5))).rules();
        long[] often =
                rules.stream()
                        .collect(Collectors.groupingBy(r -> kind(r.match()), Collectors.counting()))
                        .values()
                        .stream()
                        .mapToLong(Long::longValue)
                        .sorted()
                        .toArray();
        long top = Arrays.stream(often, often.length - 25, often.length).sum();
        assertTrue(top > 5000 / 4, top + " rules of the 25 kinds that come most");
        assertTrue(often[0] <= 3, "the rarest kind has " + often[0] + " rules");
    }

    @ParameterizedTest
    @EnumSource(names = {"ZONES", "GROUPS", "FEWSOURCES", "BLOCKLIST"})
    void headersMadeFromTheRulesAreDistinct(RuleShape shape) throws Exception {
        RuleSet rules = read(new Policy(shape, 2000, 300, 4).lines(TestSeed.of(6)));
        Path trace = folder.resolve("trace");
        try (Writer out = Files.newBufferedWriter(trace)) {
            new TraceGenerator(rules, false, 0.5, 0, TestSeed.of(7)).write(out, 20_000);
        }
        assertEquals(20_000, HeaderTrace.read(trace).size());
        assertTrue(new HashSet<>(Files.readAllLines(trace)).size() > 19_000);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "zones|--count=20|--kinds=21|--kinds 21 is not in 1..20, the number of rules",
                "zones|--count=20|--depth=21|--depth 21 is not in 1..20, the number of rules",
                "groups|--count=99|--kinds=0|--kinds 0 is below 1, the least that it takes",
                "fewsources|--count=99|--depth=25|--depth 25 is not in 1..24",
                "blocklist|--count=99|--depth=0|--depth 0 is not in 1..24",
                "acl|--count=99|--kinds=7|the shape acl",
                "routes|--count=99|--depth=7|the shape routes",
            })
    void numbersThatCannotBeAreRefused(String shape, String count, String more, String message) {
        GenerateCommand command = new GenerateCommand();
        CommandLine line = commandLine(command);
        RuntimeException refused =
                assertThrows(
                        RuntimeException.class,
                        () -> {
                            Path out = folder.resolve("r");
                            Ranges.require(
                                    line.parseArgs("--shape", shape, count, more, "--out=" + out));
                            command.call();
                        });
        assertTrue(String.valueOf(refused.getMessage()).contains(message), refused.getMessage());
    }

    @Test
    void theCommandsWriteAPolicyItsTraceAndTheAnswers() throws Exception {
        List<Path> files = Stream.of("r", "t", "e").map(folder::resolve).toList();
        String policy = "--shape=groups --count=300 --kinds=40 --depth=6 --out=" + files.get(0);
        assertTrue(call(new GenerateCommand(), policy.split(" ")).contains("300 rules"));
        call(
                new TraceCommand(),
                "--headers=500",
                "--rules=" + files.get(0),
                "--out=" + files.get(1),
                "--expect=" + files.get(2));
        assertEquals(300, Files.readAllLines(files.get(0)).size());
        assertEquals(500, Files.readAllLines(files.get(1)).size());
        assertEquals(500, Files.readAllLines(files.get(2)).size());
    }

    private static String call(Callable<Integer> command, String... words) throws Exception {
        CommandLine line = commandLine(command);
        StringWriter out = new StringWriter();
        line.setOut(new PrintWriter(out, true));
        line.parseArgs(words);
        assertEquals(0, command.call());
        return out.toString();
    }

    @Test
    void helpNamesShapesAndNumbers() {
        String help = commandLine(new GenerateCommand()).getUsageMessage();
        for (RuleShape shape : RuleShape.values()) {
            assertTrue(help.contains(shape.label()), () -> shape.label() + " in\n" + help);
        }
        assertTrue(help.contains("--kinds=N") && help.contains("--depth=N"), help);
    }

    private static CommandLine commandLine(Callable<Integer> command) {
        CommandLine line = new CommandLine(command);
        OptionTypes.register(line);
        return line;
    }

    private RuleSet read(List<String> lines) throws Exception {
        Path file = folder.resolve("rules");
        Files.write(file, lines);
        return RuleFile.read(file, null).toRuleSet("policy", 1, RuleSet.DROP);
    }

    private static long kinds(RuleSet rules) {
        return rules.rules().stream().map(rule -> kind(rule.match())).distinct().count();
    }

    private static List<Integer> kind(Match match) {
        List<Integer> fields = fields(match);
        return fields.subList(4, fields.size());
    }

    /** The range of a port: as such, or as a value under a mask. */
    private static int ports(Match match, int range, int shift) {
        if (range != Match.ANY_PORT) {
            return range;
        }
        int value = match.value(HeaderWord.PORTS) >>> shift & 0xffff;
        int mask = match.mask(HeaderWord.PORTS) >>> shift & 0xffff;
        return value << Match.RANGE_LOW_SHIFT | value | ~mask & 0xffff;
    }

    /** The most prefixes of an address, but for the empty one, of which each lies in the last. */
    private static int deepest(RuleSet rules, int word) {
        Set<List<Integer>> prefixes = new HashSet<>();
        for (Rule rule : rules.rules()) {
            prefixes.add(List.of(rule.match().value(word), rule.match().mask(word)));
        }
        int deepest = 0;
        for (List<Integer> prefix : prefixes) {
            int chain = 0;
            for (int mask = Integer.MIN_VALUE; mask != 0; mask = next(mask, prefix.get(1))) {
                chain +=
                        (prefix.get(1) & mask) == mask
                                        && prefixes.contains(List.of(prefix.get(0) & mask, mask))
                                ? 1
                                : 0;
            }
            deepest = Math.max(deepest, chain);
        }
        return deepest;
    }

    private static int next(int mask, int last) {
        return mask == last || mask == -1 ? 0 : mask >> 1;
    }

    private static boolean covers(List<Integer> wide, List<Integer> narrow) {
        return coversPrefix(wide.subList(0, 2), narrow.subList(0, 2))
                && coversPrefix(wide.subList(2, 4), narrow.subList(2, 4))
                && coversPorts(wide.get(4), narrow.get(4))
                && coversPorts(wide.get(5), narrow.get(5))
                && (wide.get(7) == 0 || wide.subList(6, 8).equals(narrow.subList(6, 8)));
    }

    private static boolean coversPrefix(List<Integer> wide, List<Integer> narrow) {
        return wide.get(1) <= narrow.get(1)
                && RandomParts.cut(narrow.get(0), wide.get(1)) == wide.get(0);
    }

    private static boolean coversPorts(int wide, int narrow) {
        return wide >>> 16 <= narrow >>> 16 && (wide & 0xffff) >= (narrow & 0xffff);
    }

    private static List<Integer> fields(Match match) {
        return List.of(
                match.value(HeaderWord.IPV4_SRC),
                Integer.bitCount(match.mask(HeaderWord.IPV4_SRC)),
                match.value(HeaderWord.IPV4_DST),
                Integer.bitCount(match.mask(HeaderWord.IPV4_DST)),
                ports(match, match.srcPorts(), 16),
                ports(match, match.dstPorts(), 0),
                match.value(HeaderWord.IP) & match.mask(HeaderWord.IP) & 0xff,
                match.mask(HeaderWord.IP) & 0xff);
    }

    /** Of both addresses first address and length, ranges of ports, protocol and its mask. */
    private static List<Integer> fields(String line) {
        String[] columns = line.substring(1).split("\t");
        String[] protocol = columns[4].split("/");
        return List.of(
                address(columns[0]),
                Integer.parseInt(columns[0].split("/")[1]),
                address(columns[1]),
                Integer.parseInt(columns[1].split("/")[1]),
                ports(columns[2]),
                ports(columns[3]),
                Integer.decode(protocol[0]),
                Integer.decode(protocol[1]));
    }

    private static int address(String prefix) {
        int address = 0;
        for (String part : prefix.split("/")[0].split("\\.")) {
            address = address << 8 | Integer.parseInt(part);
        }
        return address;
    }

    private static int ports(String range) {
        String[] ends = range.split(" : ");
        return Integer.parseInt(ends[0]) << 16 | Integer.parseInt(ends[1]);
    }
}
