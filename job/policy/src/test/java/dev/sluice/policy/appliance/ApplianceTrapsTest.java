package dev.sluice.policy.appliance;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sluice.policy.PolicyFile;
import dev.sluice.policy.PolicyOptions;
import dev.sluice.policy.flatten.FlatPolicy.Answer;
import dev.sluice.policy.model.Assumptions;
import dev.sluice.policy.model.ConnectionState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Details of firewalls that mislead readers of their configurations. */
final class ApplianceTrapsTest {
    private static final String VIP =
            "config firewall vip\nedit v\nset extip 10.0.0.2\nset mappedip 10.9.9.9\nnext\nend\n";
    private static final String DENY =
            "config firewall policy\nedit 1\nset srcaddr all\nset dstaddr all\nset service ALL\n";
    private static final String ALLOW =
            "next\nedit 2\nset srcaddr all\nset dstaddr v\nset service ALL\nset action accept\nnext\nend\n";

    @TempDir Path folder;

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "# a comment goes on \\~pass in quick~block in | 6 | DENY 3",
                "# a comment goes on \\ ~block in~ | 6 | DENY 2",
                "block in~pass in proto pfsync | 240 | PERMIT 2",
            })
    void aPacketOfPfIsDecidedByItsLine(String text, int protocol, String expected)
            throws IOException {
        assertEquals(expected, decided(text.replace('~', '\n') + "\n", "in", protocol));
    }

    @ParameterizedTest
    @CsvSource({
        "10.0.0.2, '', DEPENDS 8",
        "10.0.0.1-10.0.0.3, '', DEPENDS 8",
        "0.0.0.0, '', DEPENDS 8",
        "10.0.0.3, '', DENY 8",
        "10.0.0.2, set match-vip enable, DENY 8",
    })
    void whatAVirtualIpTranslatesIsNoOtherAddress(String external, String setting, String expected)
            throws IOException {
        String text = VIP.replace("10.0.0.2", external) + DENY + setting + "\n" + ALLOW;
        assertEquals(expected, decided(text, null, 6));
    }

    /** Outcome and line of a first packet from 10.0.0.1 to 10.0.0.2. */
    private String decided(String text, String list, int protocol) throws IOException {
        Path file = Files.writeString(folder.resolve("rules"), text);
        Assumptions assumed = new Assumptions(ConnectionState.NEW, "em0", "em1");
        FirewallPacket packet =
                new FirewallPacket("em0", "em1", false, 1, 2, protocol, 1024, 80, 0x02);
        Answer answer =
                Objects.requireNonNull(
                        PolicyFile.read(file, new PolicyOptions(list, assumed, false))
                                .flat()
                                .judge(packet.header()));
        return answer.outcome() + " " + answer.rule().origin().line();
    }
}
