package dev.sluice.policy.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.testing.Oracle;
import dev.sluice.policy.kernel.ImportComparison.Result;
import dev.sluice.policy.model.ConnectionState;
import dev.sluice.schemas.testing.TestData;
import dev.sluice.schemas.testing.TestSeed;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Dumps as hosts have them mean to the importer what they mean to the kernel that holds them. The
 * property {@code sluice.test.dumps} names a folder of other ones.
 */
class DumpTest {
    private static final Path DUMPS =
            Path.of(
                    System.getProperty(
                            "sluice.test.dumps",
                            TestData.inCheckout("job/policy")
                                    .resolve("src/test/resources/dev/sluice/policy/dumps")
                                    .toString()));
    private static final int PACKETS = Integer.getInteger("sluice.test.dump.packets", 600);
    private static final int MOST_DEVICES = 5;
    private static final Pattern DEVICE =
            Pattern.compile(" (?:-i|-o|--in-interface|--out-interface) (\\S+)");

    @TempDir Path folder;

    static Stream<Path> dumps() throws Exception {
        try (Stream<Path> files = Files.walk(DUMPS)) {
            return files
                    .filter(file -> file.toString().endsWith(".save"))
                    .sorted()
                    .toList()
                    .stream();
        }
    }

    @ParameterizedTest
    @MethodSource("dumps")
    void theImporterAnswersAsTheKernel(Path file) throws Exception {
        for (Backend backend : Backend.values()) {
            compare(file, backend, ConnectionState.NEW);
        }
    }

    @ParameterizedTest
    @MethodSource("dumps")
    void packetsOfOpenConnectionsAreAnsweredAsByTheKernel(Path file) throws Exception {
        Oracle.CONNTRACK.require();
        compare(file, Backend.LEGACY, ConnectionState.ESTABLISHED);
    }

    private void compare(Path file, Backend backend, ConnectionState state) throws Exception {
        String text = Files.readString(file);
        int version = file.getFileName().toString().contains("ip6") ? 6 : 4;
        String sets = lines(text, line -> line.matches("(create|add) .*"));
        String save = lines(text, line -> !line.matches("(create|add) .*"));
        Random random = TestSeed.random(5400 + file.getFileName().toString().hashCode());
        List<String> devices = devices(save);
        String dump = ImportComparison.dump(backend, version, sets, save);
        ImportComparison comparison =
                new ImportComparison(folder.resolve("policy.save"), dump, dump, devices, state);
        List<String> differences = new ArrayList<>();
        int compared = 0;
        int depending = 0;
        int passed = 0;
        try (KernelNamespace namespace = KernelNamespace.open(backend, devices)) {
            namespace.load(version, sets, save);
            List<ProbePacket> packets = new ArrayList<>();
            for (ProbeHook hook : ProbeHook.values()) {
                for (int pair = 0; pair < 4; pair++) {
                    int in = random.nextInt(devices.size());
                    int out = random.nextInt(devices.size());
                    ProbePacket like = new ProbePacket(version, hook);
                    like.set(ProbeField.IN, in).set(ProbeField.OUT, out);
                    DumpPackets drawn =
                            new DumpPackets(version, comparison.policy(like).flat(), random);
                    for (int i = 0; i < PACKETS / 12; i++) {
                        packets.add(drawn.draw(hook, in, out));
                    }
                }
            }
            if (state == ConnectionState.ESTABLISHED) {
                packets = OpenConnections.open(packets, namespace);
            }
            List<KernelAnswer> answers = namespace.judge(packets);
            for (int i = 0; i < packets.size(); i++) {
                Result result = comparison.compare(packets.get(i), answers.get(i));
                if (result != null) {
                    passed += answers.get(i).passed() ? 1 : 0;
                    depending += result.depends() ? 1 : 0;
                    compared += result.depends() ? 0 : 1;
                    if (result.difference() != null) {
                        differences.add(
                                result.difference() + "\n" + packets.get(i) + "\n" + devices);
                    }
                }
            }
        }
        System.out.printf(
                "%s %s %s: %d compared, %d depend, %d passed, %d differ%n",
                file.getFileName(),
                backend,
                state,
                compared,
                depending,
                passed,
                differences.size());
        assertEquals(
                List.of(), differences.stream().limit(5).toList(), differences.size() + " differ");
        assertTrue(compared > PACKETS / 4, compared + " answers were compared");
    }

    private static String lines(String text, Predicate<String> which) {
        return text.lines().filter(which).map(line -> line + "\n").collect(Collectors.joining());
    }

    /** Some devices that the rules name, and one that they do not. */
    private static List<String> devices(String save) {
        Set<String> devices = new LinkedHashSet<>(List.of("other0"));
        Matcher names = DEVICE.matcher(save);
        while (names.find() && devices.size() < MOST_DEVICES) {
            String name = names.group(1).replace("\"", "");
            if (!name.equals("lo") && !name.equals("+")) {
                devices.add(name.replace("+", "7"));
            }
        }
        devices.add("other1");
        return List.copyOf(devices);
    }
}
