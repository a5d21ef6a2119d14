package dev.sluice.policy.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sluice.engine.testing.Oracle;
import dev.sluice.schemas.testing.TestData;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Network namespace in which the kernel judges packets by a policy that was loaded for real.
 *
 * <p>A process (namespace.cpp) owns the namespace and its devices: the namespace goes with it. Each
 * packet is handled while it is written, so that answers cost microseconds and nothing waits. What
 * comes through is logged and dropped at the end: no connection is confirmed, and a packet never
 * changes what the next one meets.
 *
 * <p>Where the kernel reassembles (INPUT of IPv4, and all hooks as soon as anything tracks), a
 * fragment goes nowhere.
 *
 * <p>Not thread-safe.
 */
final class KernelNamespace implements AutoCloseable {
    private static final Path MODULE = TestData.inCheckout("job/policy");
    private static final String RESOURCES = "src/test/resources/dev/sluice/policy/kernel/";
    private static final Path PROGRAM =
            Path.of("target/namespace-" + System.getProperty("sluice.test.fork", "0"));

    /** Packets of one exchange with the process: few enough to lie in memory on both sides. */
    private static final int AT_ONCE = 1000;

    private static final String NOTHING =
            Stream.of("raw", "mangle", "filter")
                    .map(table -> "*" + table + "\nCOMMIT\n")
                    .collect(Collectors.joining());

    private final Backend backend;
    private final Process process;
    private final DataInputStream answers;
    private final OutputStream requests;
    private LoadedRules rules = LoadedRules.ofSave("");

    private KernelNamespace(Backend backend, Process process) {
        this.backend = backend;
        this.process = process;
        this.answers = new DataInputStream(new BufferedInputStream(process.getInputStream()));
        this.requests = new BufferedOutputStream(process.getOutputStream());
    }

    /**
     * Makes a namespace, and skips the test where none can be made.
     *
     * @param devices names, at most 7
     */
    static KernelNamespace open(Backend backend, List<String> devices) throws Exception {
        require();
        List<String> command =
                new ArrayList<>(List.of("unshare", "--net", program().toString(), backend.words()));
        command.addAll(devices);
        Process process =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        KernelNamespace namespace = new KernelNamespace(backend, process);
        byte[] ready = new byte[6];
        namespace.answers.readFully(ready);
        assertEquals("ready\n", new String(ready, StandardCharsets.US_ASCII));
        List<String> setup = new ArrayList<>(List.of("sh", "-s", "--"));
        setup.addAll(devices);
        namespace.run(Files.readString(MODULE.resolve(RESOURCES + "namespace.sh")), setup);
        return namespace;
    }

    /** Skips the test where no namespace can be made; on a build server fails it. */
    static void require() throws Exception {
        Process process =
                new ProcessBuilder("unshare", "--net", "true").redirectErrorStream(true).start();
        process.getInputStream().readAllBytes();
        if (process.waitFor() != 0 || !Files.isWritable(Path.of("/dev/net/tun"))) {
            Oracle.absent(
                    "no network namespace can be made here; run the tests as root, with"
                            + " /dev/net/tun");
        }
        for (Oracle tool :
                List.of(Oracle.COMPILER, Oracle.IP, Oracle.IPTABLES, Oracle.NFT, Oracle.IPSET)) {
            tool.require();
        }
    }

    private static synchronized Path program() throws Exception {
        Path source = MODULE.resolve("src/test/cpp/namespace.cpp");
        Path program = PROGRAM.toAbsolutePath();
        if (!Files.exists(program)
                || Files.getLastModifiedTime(program).compareTo(Files.getLastModifiedTime(source))
                        < 0) {
            Files.createDirectories(program.getParent());
            finish(
                    "",
                    List.of(
                            "g++",
                            "-std=c++17",
                            "-O1",
                            "-o",
                            program.toString(),
                            source.toString()));
        }
        return program;
    }

    /** Runs a command in the namespace and returns what it prints. */
    String run(String input, List<String> command) throws Exception {
        return finish(input, inside(command));
    }

    private List<String> inside(List<String> command) {
        List<String> inside =
                new ArrayList<>(List.of("nsenter", "--net=/proc/" + process.pid() + "/ns/net"));
        inside.addAll(command);
        return inside;
    }

    private static String finish(String input, List<String> command) throws Exception {
        Process process = start(input, command);
        String words = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), command + ": " + words);
        return words;
    }

    /** Starts a command and writes its input. */
    private static Process start(String input, List<String> command) throws Exception {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("XTABLES_LOCKFILE", PROGRAM.toAbsolutePath() + ".lock");
        Process process = builder.start();
        try (OutputStream to = process.getOutputStream()) {
            to.write(input.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            if (process.waitFor() == 0) {
                throw e; // else the command failed before it had read all
            }
        }
        return process;
    }

    /**
     * Loads a text as {@code iptables-save}, or for version 6 {@code ip6tables-save}, prints it.
     */
    void load(int version, String save) throws Exception {
        run(save, List.of(backend.restore(version)));
        rules =
                backend == Backend.LEGACY
                        ? LoadedRules.ofSave(save)
                        : LoadedRules.ofRuleset(
                                run("", List.of("nft", "-a", "list", "ruleset")).lines().toList());
    }

    /**
     * Loads a policy and its sets, in place of all that was loaded for its version.
     *
     * @param sets as {@code ipset save} prints them
     */
    void load(int version, String sets, String save) throws Exception {
        run(NOTHING, List.of(backend.restore(version)));
        run("", List.of("ipset", "destroy"));
        run(sets, List.of("ipset", "restore"));
        load(version, save);
    }

    /**
     * Loads a ruleset of nftables, in place of all tables but the namespace's own. A step's rule is
     * then the line that holds it.
     *
     * @return the tables as {@code nft list ruleset} prints them; empty where nft refuses the text
     */
    Optional<NftDump> loadRuleset(String text) throws Exception {
        return loadRuleset(text, "UTC0");
    }

    /** The same of who writes and lists the text in a time zone, as the variable TZ names it. */
    Optional<NftDump> loadRuleset(String text, String zone) throws Exception {
        List<String> nft = List.of("env", "TZ=" + zone, "nft");
        StringBuilder commands = new StringBuilder();
        for (String line : run("", List.of("nft", "list", "tables")).lines().toList()) {
            if (!line.endsWith(" sluice")) {
                commands.append("delete ").append(line).append('\n');
            }
        }
        if (start(commands + text, inside(with(nft, "-f", "-"))).waitFor() != 0) {
            return Optional.empty();
        }
        NftDump dump =
                NftDump.of(
                        run("", with(nft, "list", "ruleset")),
                        run("", with(nft, "-a", "list", "ruleset")),
                        run("", with(nft, "-j", "list", "ruleset")));
        rules = new LoadedRules(Map.of(), dump.lines());
        return Optional.of(dump);
    }

    private static List<String> with(List<String> command, String... arguments) {
        List<String> whole = new ArrayList<>(command);
        whole.addAll(List.of(arguments));
        return whole;
    }

    /**
     * Returns whether nft takes a text in the namespace, by {@code -f}, or {@code -cf} to check.
     */
    boolean takes(String text, String option) throws Exception {
        return start(text, inside(List.of("nft", option, "-"))).waitFor() == 0;
    }

    /** Returns whether {@code iptables-restore} takes a text, without loading it. */
    boolean restores(int version, String text) throws Exception {
        Process process = start(text, inside(List.of(backend.restore(version), "--test")));
        process.getInputStream().readAllBytes();
        return process.waitFor() == 0;
    }

    /** Asks the kernel about each packet, in order. */
    List<KernelAnswer> judge(List<? extends Probe> packets) throws IOException {
        List<KernelAnswer> all = new ArrayList<>(packets.size());
        for (int from = 0; from < packets.size(); from += AT_ONCE) {
            List<? extends Probe> some =
                    packets.subList(from, Math.min(packets.size(), from + AT_ONCE));
            send(some);
            for (Probe packet : some) {
                all.add(receive(packet));
            }
        }
        return all;
    }

    /** Asks the kernel about each frame that arrives at a device, in order. */
    List<KernelAnswer> judgeFrames(int device, List<byte[]> frames) throws IOException {
        List<KernelAnswer> all = new ArrayList<>(frames.size());
        for (int from = 0; from < frames.size(); from += AT_ONCE) {
            List<byte[]> some = frames.subList(from, Math.min(frames.size(), from + AT_ONCE));
            requests.write(numbers(some.size()));
            for (byte[] frame : some) {
                send(device, 0, frame);
            }
            requests.flush();
            for (byte[] frame : some) {
                all.add(receive(frame.length + " bytes"));
            }
        }
        return all;
    }

    private void send(List<? extends Probe> packets) throws IOException {
        requests.write(numbers(packets.size()));
        for (Probe packet : packets) {
            send(packet.way(), packet.mark(), packet.bytes());
        }
        requests.flush();
    }

    private void send(int way, int mark, byte[] bytes) throws IOException {
        requests.write(numbers(way, mark, bytes.length));
        requests.write(bytes);
    }

    private KernelAnswer receive(Object packet) throws IOException {
        ByteBuffer head = ByteBuffer.wrap(answers.readNBytes(8)).order(ByteOrder.nativeOrder());
        int error = head.getInt();
        byte[] messages = answers.readNBytes(head.getInt());
        KernelAnswer answer = NetlinkMessages.answer(ByteBuffer.wrap(messages), rules);
        // A packet of this host that a chain drops is refused with EPERM.
        if (error != 0 && error != 1) {
            throw new IOException("the packet cannot be sent, error " + error + ": " + packet);
        }
        return answer;
    }

    private static byte[] numbers(int... values) {
        ByteBuffer buffer = ByteBuffer.allocate(4 * values.length).order(ByteOrder.nativeOrder());
        Arrays.stream(values).forEach(buffer::putInt);
        return buffer.array();
    }

    @Override
    public void close() throws Exception {
        requests.close();
        if (!process.waitFor(10, TimeUnit.SECONDS)) {
            process.destroyForcibly().waitFor();
        }
    }
}
