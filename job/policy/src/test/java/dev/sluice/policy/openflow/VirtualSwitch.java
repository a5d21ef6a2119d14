package dev.sluice.policy.openflow;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Open vSwitch with one bridge without ports, on its dummy datapath; nothing leaves its folder. */
final class VirtualSwitch implements AutoCloseable {
    private static final String SCHEMA = "/usr/share/openvswitch/vswitch.ovsschema";
    private static final Pattern COOKIE =
            Pattern.compile("\\\\n 0\\. [^\\\\]*cookie 0x([0-9a-f]+)");

    private final Path folder;
    private final List<Process> daemons = new ArrayList<>();

    /** Starts a switch whose files lie in a folder, whose path is short. */
    VirtualSwitch(Path folder) throws Exception {
        this.folder = folder;
        String database = "unix:" + folder.resolve("db.sock");
        run("ovsdb-tool", "create", folder.resolve("conf.db").toString(), SCHEMA);
        daemon("ovsdb-server", "--remote=p" + database, folder.resolve("conf.db").toString());
        while (!Files.exists(folder.resolve("db.sock"))) {
            assertTrue(daemons.get(0).isAlive(), "the switch's database ended");
            Thread.onSpinWait();
        }
        daemon("ovs-vswitchd", "--enable-dummy=override", "--disable-system", database);
        run(
                "ovs-vsctl",
                "--db=" + database,
                "--timeout=30",
                "add-br",
                "b",
                "--",
                "set",
                "bridge",
                "b",
                "datapath-type=dummy",
                "fail-mode=secure");
    }

    private void daemon(String program, String... arguments) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(program);
        command.add("--unixctl=" + folder.resolve(program + ".ctl"));
        command.addAll(List.of(arguments));
        daemons.add(builder(command).start());
    }

    private ProcessBuilder builder(List<String> command) {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        for (String which : List.of("RUN", "LOG", "DB", "SYSCONF")) {
            builder.environment().put("OVS_" + which + "DIR", folder.toString());
        }
        return builder.redirectOutput(folder.resolve(command.get(0) + ".out").toFile());
    }

    private void run(String... command) throws Exception {
        Process process = builder(List.of(command)).start();
        assertTrue(process.waitFor(60, TimeUnit.SECONDS), command[0]);
        String out = Files.readString(folder.resolve(command[0] + ".out"));
        assertEquals(0, process.exitValue(), out);
    }

    /** Gives the switch these flows alone. */
    void flows(List<String> lines) throws Exception {
        Path file = Files.write(folder.resolve("flows"), lines);
        String bridge = "unix:" + folder.resolve("b.mgmt");
        run("ovs-ofctl", "del-flows", bridge);
        run("ovs-ofctl", "add-flows", bridge, file.toString());
    }

    /** The cookie of the flow that decides about a packet; 0: none does. */
    int decides(String packet) throws Exception {
        String call =
                "{\"method\":\"ofproto/trace\",\"params\":[\"b\",\"%s\"],\"id\":1}"
                        .formatted(packet);
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.connect(UnixDomainSocketAddress.of(folder.resolve("ovs-vswitchd.ctl")));
            channel.write(ByteBuffer.wrap(call.getBytes(UTF_8)));
            StringBuilder reply = new StringBuilder();
            ByteBuffer buffer = ByteBuffer.allocate(1 << 16);
            while (!reply.toString().endsWith("}") && channel.read(buffer.clear()) >= 0) {
                reply.append(UTF_8.decode(buffer.flip()));
            }
            assertTrue(reply.indexOf("Datapath actions") >= 0, reply.toString());
            Matcher decided = COOKIE.matcher(reply);
            return decided.find() ? Integer.parseInt(decided.group(1), 16) : 0;
        }
    }

    @Override
    public void close() throws Exception {
        for (Process daemon : daemons) {
            daemon.destroy();
            daemon.waitFor();
        }
    }
}
