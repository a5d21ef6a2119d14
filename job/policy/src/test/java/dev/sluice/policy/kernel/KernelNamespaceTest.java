package dev.sluice.policy.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Collections;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The kernel's answers are read back exactly: what came through, and by which rules. */
class KernelNamespaceTest {
    private static final List<String> DEVICES = List.of("lan", "wan", "dmz");

    private static final String POLICY =
            """
            *raw
            :PREROUTING ACCEPT [0:0]
            :OUTPUT ACCEPT [0:0]
            -A PREROUTING -m mark --mark 0x7 -j DROP
            COMMIT
            *filter
            :INPUT DROP [0:0]
            :FORWARD ACCEPT [0:0]
            :OUTPUT ACCEPT [0:0]
            :services - [0:0]
            :web - [0:0]
            -A INPUT -i lan -j services
            -A INPUT -p tcp -m tcp --dport 22 -j REJECT
            -A FORWARD ! -o wan -j RETURN
            -A FORWARD -g services
            -A OUTPUT -o dmz -p udp -j DROP
            -A services -p tcp -g web
            -A services -j RETURN
            -A web -p tcp -m tcp --dport 80 -j ACCEPT
            -A web -m mark --mark 0x1/0x1
            -A web -m mark --mark 0x1/0x3 -j DROP
            COMMIT
            """;

    @ParameterizedTest
    @CsvSource({"LEGACY,4", "LEGACY,6", "NFT,4", "NFT,6"})
    void eachRuleThatMatchesIsTold(Backend backend, int version) throws Exception {
        try (KernelNamespace namespace = KernelNamespace.open(backend, DEVICES)) {
            namespace.load(version, POLICY);
            ProbePacket web = new ProbePacket(version, ProbeHook.INPUT);
            ProbePacket shell = web.copy().set(ProbeField.DESTINATION_PORT, 22);
            List<KernelAnswer> answers =
                    namespace.judge(
                            List.of(
                                    web,
                                    shell,
                                    shell.copy().set(ProbeField.MARK, 1),
                                    shell.copy().set(ProbeField.MARK, 3),
                                    shell.copy().set(ProbeField.MARK, 7),
                                    shell.copy().set(ProbeField.IN, 1),
                                    web.copy().set(ProbeField.IN, 1),
                                    shell.copy().hook(ProbeHook.FORWARD),
                                    shell.copy().hook(ProbeHook.FORWARD).set(ProbeField.OUT, 2),
                                    web.copy().hook(ProbeHook.OUTPUT).set(ProbeField.OUT, 2),
                                    web.copy()
                                            .hook(ProbeHook.OUTPUT)
                                            .set(ProbeField.OUT, 2)
                                            .set(ProbeField.PROTOCOL, ProbePacket.UDP)));
            assertEquals(
                    List.of(
                            "passed: PREROUTING:end INPUT:1 services:1 web:1",
                            "stopped: PREROUTING:end INPUT:1 services:1 web:end INPUT:2",
                            "stopped: PREROUTING:end INPUT:1 services:1 web:2 web:3",
                            "stopped: PREROUTING:end INPUT:1 services:1 web:2 web:end INPUT:2",
                            "stopped: PREROUTING:1",
                            "stopped: PREROUTING:end INPUT:2",
                            "stopped: PREROUTING:end INPUT:end",
                            "passed: PREROUTING:end FORWARD:2 services:1 web:end FORWARD:end",
                            "passed: PREROUTING:end FORWARD:1 FORWARD:end",
                            "passed: OUTPUT:end OUTPUT:end",
                            "stopped: OUTPUT:end OUTPUT:1"),
                    answers.stream().map(KernelNamespaceTest::text).toList());
        }
    }

    private static String text(KernelAnswer answer) {
        StringBuilder text = new StringBuilder(answer.passed() ? "passed:" : "stopped:");
        answer.steps()
                .forEach(step -> text.append(' ').append(step.toString().replaceFirst(".*/", "")));
        return text.toString();
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void manyPacketsAreAskedInOneGo(Backend backend) throws Exception {
        try (KernelNamespace namespace = KernelNamespace.open(backend, DEVICES)) {
            namespace.load(4, POLICY);
            ProbePacket web = new ProbePacket(4, ProbeHook.INPUT);
            List<KernelAnswer> answers = namespace.judge(Collections.nCopies(20000, web));
            assertEquals(1, answers.stream().distinct().count());
        }
    }
}
