package dev.sluice.policy.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import dev.sluice.engine.testing.Oracle;
import dev.sluice.policy.kernel.ImportComparison.Result;
import dev.sluice.policy.model.ConnectionState;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Packets of connections that exist have the states that the kernel gives them. */
class EstablishedTest {
    private static final int PORT = 2000;
    private static final int SYN_AND_ACK = 0x12;

    private static final String SAVE =
            """
            *filter
            :INPUT DROP [0:0]
            -A INPUT -m conntrack --ctstate ESTABLISHED -j ACCEPT
            -A INPUT -m conntrack --ctstate INVALID -j DROP
            -A INPUT -m conntrack --ctstate RELATED -j ACCEPT
            -A INPUT -m conntrack --ctstate NEW -j ACCEPT
            COMMIT
            """;

    @TempDir Path folder;

    @Test
    void theImporterAnswersAsTheKernel() throws Exception {
        Oracle.CONNTRACK.require();
        List<ProbePacket> packets = new ArrayList<>();
        StringBuilder connections =
                new StringBuilder("echo 1 >/proc/sys/net/netfilter/nf_conntrack_tcp_be_liberal\n");
        for (int flags = 0; flags < 64; flags++) {
            int port = PORT + flags;
            boolean answers = (flags & SYN_AND_ACK) == SYN_AND_ACK; // of who did not begin
            connections.append("conntrack -I -p tcp --state ESTABLISHED -t 300 -u SEEN_REPLY ");
            connections.append(
                    answers
                            ? "-s 10.0.0.2 -d 10.0.0.1 --sport 80 --dport %d\n".formatted(port)
                            : "-s 10.0.0.1 -d 10.0.0.2 --sport %d --dport 80\n".formatted(port));
            packets.add(
                    packet().set(ProbeField.TCP_FLAGS, flags).set(ProbeField.SOURCE_PORT, port));
        }
        connections.append(
                "conntrack -I -p udp -t 300 -u SEEN_REPLY -s 10.0.0.1 -d 10.0.0.2 --sport 7 --dport 53\n");
        packets.add(
                packet().set(ProbeField.PROTOCOL, ProbePacket.UDP)
                        .set(ProbeField.SOURCE_PORT, 7)
                        .set(ProbeField.DESTINATION_PORT, 53));
        connections.append(
                "conntrack -I -p icmp -t 300 -u SEEN_REPLY -s 10.0.0.1 -d 10.0.0.2 --icmp-type 8 --icmp-code 0 --icmp-id 0\n");
        for (int type : List.of(1, 2, 6, 8, 9, 10, 19, 42, 255)) {
            packets.add(
                    packet().set(ProbeField.PROTOCOL, ProbePacket.ICMP)
                            .set(ProbeField.ICMP_TYPE, type));
        }
        List<String> devices = List.of("eth0");
        String dump = ImportComparison.dump(Backend.LEGACY, 4, "", SAVE);
        ImportComparison comparison =
                new ImportComparison(
                        folder.resolve("policy.save"),
                        dump,
                        dump,
                        devices,
                        ConnectionState.ESTABLISHED);
        try (KernelNamespace namespace = KernelNamespace.open(Backend.LEGACY, devices)) {
            namespace.load(4, SAVE);
            namespace.run(connections.toString(), List.of("sh", "-e"));
            List<KernelAnswer> answers = namespace.judge(packets);
            for (int i = 0; i < packets.size(); i++) {
                Result result = comparison.compare(packets.get(i), answers.get(i));
                assertNotNull(result, () -> "no rule decided: " + packets);
                assertEquals(new Result(null, false), result, packets.get(i).toString());
            }
        }
    }

    private static ProbePacket packet() {
        return new ProbePacket(4, ProbeHook.INPUT);
    }
}
