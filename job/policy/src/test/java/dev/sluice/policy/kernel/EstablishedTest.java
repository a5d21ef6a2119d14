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
        List<ProbePacket> all = new ArrayList<>();
        for (int flags = 0; flags < 64; flags++) {
            all.add(
                    packet().set(ProbeField.TCP_FLAGS, flags)
                            .set(ProbeField.SOURCE_PORT, PORT + flags));
        }
        all.add(
                packet().set(ProbeField.PROTOCOL, ProbePacket.UDP)
                        .set(ProbeField.SOURCE_PORT, 7)
                        .set(ProbeField.DESTINATION_PORT, 53));
        all.add(packet().set(ProbeField.PROTOCOL, 50));
        for (int type : List.of(1, 2, 6, 8, 9, 10, 14, 19, 42, 255)) {
            all.add(
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
            List<ProbePacket> packets = OpenConnections.open(all, namespace);
            assertEquals(76, packets.size());
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
