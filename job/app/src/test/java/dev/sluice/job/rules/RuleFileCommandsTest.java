package dev.sluice.job.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.Sluice;
import dev.sluice.schemas.testing.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Options of the commands that read rule files: show, convert, test, anonymize. */
class RuleFileCommandsTest {
    private static final String SERVER =
            TestData.inCheckout("test-data/firewall/server.save").toString();
    private static final String CAPTURE = TestData.office("office.pcapng.gz").toString();

    @TempDir Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"json", "iptables"})
    void convertedFirewallHasTheVerdictsThatItHad(String to) throws IOException {
        Path converted = folder.resolve("converted");
        Files.writeString(
                converted, Sluice.ok("rules", "convert", SERVER + "#INPUT", "--to", to).out());
        Path cases = folder.resolve("cases.yaml");
        String text = Files.readString(TestData.inCheckout("test-data/firewall/server.cases.yaml"));
        Files.writeString(
                cases, text.replaceAll(" *line: .*", "").replace("expect: DROP", "expect: deny"));
        Sluice test = Sluice.ok("rules", "test", cases, "--rules", converted + "#INPUT");
        assertTrue(test.out().startsWith("7 cases, all as expected"), test.out());
    }

    @Test
    void rulesetOfNftSaysTheFirewall() throws IOException {
        String from = TestData.inCheckout("test-data/firewall/server6.save").toString();
        Sluice refused = Sluice.run("rules", "convert", from + "#INPUT", "--to", "nft");
        assertEquals(1, refused.status());
        assertTrue(refused.err().contains("--whole-packets"), refused.err());
        Path file = folder.resolve("server6.nft");
        Files.writeString(
                file,
                Sluice.ok("rules", "convert", from + "#INPUT", "--to", "nft", "--whole-packets")
                        .out());
        Sluice shown = Sluice.ok("rules", "show", file + "#input", "--format", "tsv");
        assertTrue(shown.out().contains("ct state established,related accept"), shown.out());
    }

    @Test
    void portsOfASwitchHaveNames() throws IOException {
        Path rules = folder.resolve("ports.ovs");
        Files.writeString(rules, "priority=5,in_port=uplink,tcp actions=drop\n");
        Path ports = folder.resolve("ports.txt");
        Files.writeString(ports, "uplink 7\n");
        Sluice unnamed = Sluice.run("rules", "convert", rules, "--to", "json");
        assertEquals(1, unnamed.status());
        assertTrue(unnamed.err().contains("--ports"), unnamed.err());
        Sluice named = Sluice.ok("rules", "convert", rules, "--to", "json", "--ports", ports);
        assertTrue(named.out().contains("\"in_port\""), named.out());
        Sluice shown = Sluice.ok("rules", "show", rules, "--ports", ports, "--format", "tsv");
        assertTrue(shown.out().contains("drop"), shown.out());
    }

    @Test
    void statedFormatIsTheOneThatIsRead() {
        Sluice.ok("rules", "show", SERVER + "#INPUT", "--rules-format", "iptables");
        Sluice refused = Sluice.run("rules", "show", SERVER, "--rules-format", "openflow");
        assertEquals(1, refused.status());
        assertTrue(refused.err().contains("server.save:"), refused.err());
        Sluice unknown = Sluice.run("rules", "show", SERVER, "--rules-format", "ipfw");
        assertEquals(2, unknown.status());
        assertTrue(unknown.err().contains("use one of asa, aws, "), unknown.err());
    }

    @Test
    void unsupportedRuleIsRefusedOrSkippedAloud() throws IOException {
        Path file = folder.resolve("odd.save");
        Files.writeString(
                file,
                "*filter\n:INPUT DROP [0:0]\n-A INPUT -m u32 --u32 \"0=1\" -j ACCEPT\n-A INPUT -p tcp -j ACCEPT\nCOMMIT\n");
        Sluice refused = Sluice.run("rules", "show", file + "#INPUT");
        assertEquals(1, refused.status());
        assertTrue(refused.err().contains(file + ":3:"), refused.err());
        Sluice skipped = Sluice.ok("rules", "show", file + "#INPUT", "--skip-unsupported");
        assertTrue(skipped.err().contains(file + ":3:"), skipped.err());
        assertEquals(1, Sluice.run("rules", "convert", file + "#INPUT", "--to", "nft").status());
        Path cases = folder.resolve("cases.yaml");
        Files.writeString(
                cases,
                """
                rules: odd.save#INPUT
                cases:
                  - name: what the skipped rule may accept
                    packet: {proto: udp, src: 192.0.2.1, dst: 192.0.2.2, dport: 53}
                    expect: depends
                """);
        assertEquals(1, Sluice.run("rules", "test", cases).status());
        Sluice.ok("rules", "test", cases, "--skip-unsupported");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "rules show RULES",
                "rules convert RULES --to openflow",
                "rules test CASES --rules RULES",
                "classify CAPTURE --rules RULES --summary",
                "rules hits CAPTURE --rules RULES",
                "filter CAPTURE --rules RULES --action NORMAL -w OUT",
            })
    void optionsOfPoliciesAreSaidToHaveNoEffectOnRulesThatStandForThemselves(String command)
            throws IOException {
        Path cases = folder.resolve("cases.yaml");
        Files.writeString(
                cases,
                "cases:\n  - {name: a, packet: {proto: tcp, src: 192.0.2.10, dst: 198.51.100.20, dport: 23}, expect: drop}\n");
        Files.writeString(
                folder.resolve("flows.ovs"),
                "priority=5,tcp,tp_dst=23 actions=drop\npriority=4 actions=NORMAL\n");
        String words =
                command.replace("RULES", folder + "/flows.ovs")
                        .replace("CASES", cases.toString())
                        .replace("CAPTURE", CAPTURE)
                        .replace("OUT", folder + "/out.pcapng");
        Sluice plain = Sluice.ok((Object[]) words.split(" "));
        assertFalse(plain.err().contains("without effect"), plain.err());
        String given =
                " --hook INPUT --assume new --skip-unsupported --policy-time 2026-11-28T17:00:00Z";
        Sluice told = Sluice.ok((Object[]) (words + given).split(" "));
        String expected =
                "flows.ovs: without effect: --hook, --assume, --policy-time, --skip-unsupported; of policies of chains, and OpenFlow rules stand for themselves";
        assertTrue(told.err().contains(expected), told.err());
    }

    @Test
    void anonymizedRulesetIsReadAgain() throws IOException {
        String host = TestData.inCheckout("test-data/nft/host.nft").toString();
        String key = "0".repeat(64);
        Sluice one = Sluice.ok("rules", "anonymize", host, "--key", key);
        assertEquals(one.out(), Sluice.ok("rules", "anonymize", host, "--key", key).out());
        Path file = Files.writeString(folder.resolve("other.nft"), one.out());
        Sluice.ok("rules", "show", file + "#input");
    }
}
