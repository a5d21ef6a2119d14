package dev.sluice.policy.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.testing.Oracle;
import dev.sluice.policy.PolicyFile;
import dev.sluice.policy.kernel.RulesetComparison.Result;
import dev.sluice.policy.model.ConnectionState;
import dev.sluice.schemas.testing.TestData;
import dev.sluice.schemas.testing.TestSeed;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Rulesets as hosts have them mean to the importer what they mean to the kernel that holds them.
 * The property {@code sluice.test.rulesets} names a folder of other ones.
 */
class RulesetTest {
    private static final Path RULESETS =
            Path.of(
                    System.getProperty(
                            "sluice.test.rulesets",
                            TestData.inCheckout("job/policy")
                                    .resolve("src/test/resources/dev/sluice/policy/rulesets")
                                    .toString()));
    private static final int PACKETS = Integer.getInteger("sluice.test.dump.packets", 600);
    private static final int MOST_DEVICES = 5;

    /** Devices behind a match, and those of other lists of values. */
    private static final List<Pattern> DEVICES =
            List.of(
                    Pattern.compile("(?:[io]if(?:name)? (?:!= )?\"?|\")([a-z]{2,6}[0-9*])"),
                    Pattern.compile("[={,] *([a-z]{2,6}[0-9*])(?![0-9a-f]*:)"));

    @TempDir Path folder;

    static Stream<Path> rulesets() throws Exception {
        try (Stream<Path> files = Files.walk(RULESETS)) {
            return files
                    .filter(file -> file.toString().endsWith(".nft"))
                    .sorted()
                    .toList()
                    .stream();
        }
    }

    @ParameterizedTest
    @MethodSource("rulesets")
    void theImporterAnswersAsTheKernel(Path file) throws Exception {
        compare(file, ConnectionState.NEW);
    }

    @ParameterizedTest
    @MethodSource("rulesets")
    void packetsOfOpenConnectionsAreAnsweredAsByTheKernel(Path file) throws Exception {
        Oracle.CONNTRACK.require();
        compare(file, ConnectionState.ESTABLISHED);
    }

    private void compare(Path file, ConnectionState state) throws Exception {
        Random random = TestSeed.random(5600 + file.getFileName().toString().hashCode());
        String text = Files.readString(file).replace("flush ruleset\n", "");
        List<String> devices = devices(text);
        Map<Result, Integer> seen = new EnumMap<>(Result.class);
        List<String> differences = new ArrayList<>();
        try (KernelNamespace namespace = KernelNamespace.open(Backend.NFT, devices)) {
            NftDump dump = namespace.loadRuleset(text).orElseThrow();
            RulesetComparison comparison =
                    RulesetComparison.ofAll(folder, dump, text, devices).assuming(state);
            List<ProbePacket> packets = draw(comparison, devices.size(), random);
            if (state == ConnectionState.ESTABLISHED) {
                packets = OpenConnections.open(packets, namespace);
            }
            List<KernelAnswer> answers = namespace.judge(packets);
            for (int i = 0; i < packets.size(); i++) {
                Result result = comparison.compare(packets.get(i), answers.get(i));
                seen.merge(result, 1, Integer::sum);
                if (result == Result.DIFFERS) {
                    differences.add(
                            comparison.words()
                                    + "\n"
                                    + packets.get(i)
                                    + "\n"
                                    + devices
                                    + "\n"
                                    + dump.text());
                }
            }
        }
        System.out.println(file.getFileName() + " " + state + " " + seen);
        assertEquals(
                List.of(), differences.stream().limit(3).toList(), differences.size() + " differ");
        int compared = seen.getOrDefault(Result.PASSES, 0) + seen.getOrDefault(Result.DENIES, 0);
        assertTrue(compared > PACKETS / 4, compared + " answers were compared");
    }

    private static List<ProbePacket> draw(
            RulesetComparison comparison, int devices, Random random) {
        List<ProbePacket> packets = new ArrayList<>();
        int hooks = 0;
        for (ProbeHook hook : ProbeHook.values()) {
            hooks += comparison.holds(new ProbePacket(4, hook)) ? 1 : 0;
        }
        for (ProbeHook hook : ProbeHook.values()) {
            for (int pair = 0; pair < 4; pair++) {
                int version = pair % 2 == 0 ? 4 : 6;
                int in = random.nextInt(devices);
                int out = random.nextInt(devices);
                ProbePacket like = new ProbePacket(version, hook);
                like.set(ProbeField.IN, in).set(ProbeField.OUT, out);
                if (!comparison.holds(like)) {
                    continue; // no chain of the hook
                }
                PolicyFile policy = comparison.policies(like).get(0);
                DumpPackets drawn = new DumpPackets(version, policy.flat(), random);
                for (int i = 0; i < PACKETS / (4 * hooks); i++) {
                    packets.add(drawn.draw(hook, in, out));
                }
            }
        }
        return packets;
    }

    /** Returns some devices that the rules name, and two that they do not. */
    private static List<String> devices(String text) {
        Set<String> devices = new LinkedHashSet<>(List.of("other0"));
        for (Pattern device : DEVICES) {
            Matcher names = device.matcher(text);
            while (names.find() && devices.size() < MOST_DEVICES) {
                devices.add(names.group(1).replace("*", "7"));
            }
        }
        devices.add("other1");
        return List.copyOf(devices);
    }
}
