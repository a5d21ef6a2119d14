package dev.sluice.policy.appliance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.policy.PolicyFile;
import dev.sluice.policy.PolicyOptions;
import dev.sluice.policy.flatten.FlatPolicy;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.policy.model.Assumptions;
import dev.sluice.policy.model.ConditionText;
import dev.sluice.policy.model.ConnectionState;
import dev.sluice.policy.model.Outcome;
import dev.sluice.policy.testing.UnderstoodRules;
import dev.sluice.schemas.testing.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Samples of pf, PAN-OS and FortiGate: what is read, and what is refused with which words. */
final class ApplianceSamplesTest {
    private static final PolicyOptions FIRST =
            new PolicyOptions(null, new Assumptions(ConnectionState.NEW, null, null), false);

    @TempDir Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"pf", "set", "fortigate"})
    void eachRuleIsUnderstoodAsTheGoldenFileSays(String kind) throws IOException {
        Path sample = TestData.inCheckout("test-data/appliance/office." + kind);
        String understood = UnderstoodRules.of(PolicyFile.read(sample, FIRST));
        Path golden = TestData.inCheckout("test-data/appliance/" + kind + ".understood");
        assertEquals(Files.readString(golden), understood);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "pass in proto tcp to port 99999|1:27: '99999'",
                "pass in to port 22|1:12: 'port': asks for ports",
                "block in all\\npass on $ext|2:9: '$ext': is no macro",
                "pass in from 10.0.0.300|1:14: '10.0.0.300': is not an IPv4 address",
                "block in all\\npass in proto tcp flag S/SA|2:19: 'flag': is no option of a rule that Sluice knows; write flags",
                "block in all\\nanchor \"a\" {\\npass|2:1: 'anchor': is not closed",
                "block in all\\ninclude '/etc/pf.more'|2:1: 'include': reads another file",
                "set rulebase security rules a action maybe|1:38: 'maybe': is no action",
                "set rulebase security rules a action allow\\nset rulebase security rules a sorce any|2:31: 'sorce': is no setting of a rule that Sluice knows; write source",
                "set zone a network layer3 e\\ndelete zone a|2:1: 'delete': changes a configuration",
                "config system zone\\nend|` holds no chain that decides; dump all tables of the firewall, or its whole configuration`",
                "<config version=\"9\"><shared></config>|1:31: '<config",
                "config firewall policy\\nedit 1\\nset srcadr all\\nset srcaddr all\\nset dstaddr all\\nset service ALL\\nnext\\nend|3:5: 'srcadr': is no setting of a policy that Sluice knows; write srcaddr",
                "config firewall policy\\nedit 1\\nset srcaddr all|2:1: '1': is not closed",
                "config firewall policy\\nedit 1\\nnext\\nmove 1 before 2\\nend|4:1: 'move': changes a table"
            })
    void aDefectIsRefusedWithItsPlaceAndARemedy(String text, String words) throws IOException {
        Path file = Files.writeString(folder.resolve("rules"), text.replace("\\n", "\n"));
        SluiceException refused =
                assertThrows(SluiceException.class, () -> PolicyFile.read(file, FIRST));
        assertTrue(refused.getMessage().contains("rules:" + words), refused.getMessage());
    }

    @Test
    void anEntityOfXmlReadsNoFile() throws IOException {
        Path secret = Files.writeString(folder.resolve("secret"), "10.9.9.9");
        Path file = folder.resolve("rules.xml");
        Files.writeString(
                file,
                "<?xml version=\"1.0\"?><!DOCTYPE config [<!ENTITY x SYSTEM \"%s\">]>\n<config version=\"9\"><shared><address><entry name=\"a\"><ip-netmask>&x;</ip-netmask></entry></address></shared></config>"
                        .formatted(secret.toUri()));
        SluiceException refused =
                assertThrows(
                        SluiceException.class,
                        () ->
                                PolicyFile.read(
                                        file, new PolicyOptions(null, Assumptions.NONE, true)));
        assertTrue(!refused.getMessage().contains("10.9.9.9"), refused.getMessage());
    }

    @Test
    void theFormsOfOneConfigurationOfPanOsMeanTheSame() throws IOException {
        String set =
                """
                set zone in network layer3 ethernet1/1
                set address web ip-netmask 10.0.0.8
                set rulebase security rules r from in
                set rulebase security rules r to [ out dmz ]
                set rulebase security rules r source any
                set rulebase security rules r destination web
                set rulebase security rules r service service-http
                set rulebase security rules r application any
                set rulebase security rules r action allow
                """;
        String braces =
                """
                zone { in { network { layer3 ethernet1/1; } } }
                address { web { ip-netmask 10.0.0.8; } }
                rulebase {
                  security { rules { r {
                    from in; to [ out dmz ]; source any; destination web;
                    service service-http; application any; action allow;
                  } } }
                }
                """;
        String xml =
                """
                <config version="10.1.0"><devices><entry name="localhost.localdomain"><vsys><entry name="vsys1">
                <zone><entry name="in"><network><layer3><member>ethernet1/1</member></layer3></network></entry></zone>
                <address><entry name="web"><ip-netmask>10.0.0.8</ip-netmask></entry></address>
                <rulebase><security><rules><entry name="r">
                <from><member>in</member></from><to><member>out</member><member>dmz</member></to>
                <source><member>any</member></source><destination><member>web</member></destination>
                <service><member>service-http</member></service><application><member>any</member></application>
                <action>allow</action></entry></rules></security></rulebase>
                </entry></vsys></entry></devices></config>
                """;
        List<List<String>> read = new ArrayList<>();
        for (String text : List.of(set, braces, xml)) {
            Path file = Files.writeString(folder.resolve("form"), text);
            read.add(
                    PolicyFile.read(file, FIRST).rules().stream()
                            .map(rule -> rule.action() + ConditionText.of(rule.condition()))
                            .sorted()
                            .toList());
        }
        assertEquals(read.get(0), read.get(1));
        assertEquals(read.get(0), read.get(2));
    }

    @Test
    void aPacketOfAnUnknownApplicationDepends() throws IOException {
        Path file =
                Files.writeString(
                        folder.resolve("rules"),
                        """
                        set rulebase security rules r from any
                        set rulebase security rules r to any
                        set rulebase security rules r application web-browsing
                        set rulebase security rules r service application-default
                        set rulebase security rules r action allow
                        """);
        Assumptions assumed = new Assumptions(ConnectionState.NEW, "a", "b");
        FlatPolicy policy = PolicyFile.read(file, new PolicyOptions(null, assumed, false)).flat();
        FirewallPacket packet = new FirewallPacket("a", "b", false, 1, 2, 6, 1024, 80, 2);
        assertEquals(
                Outcome.DEPENDS, Objects.requireNonNull(policy.judge(packet.header())).outcome());
    }
}
