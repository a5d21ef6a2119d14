package dev.sluice.job.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.JsonPage;
import dev.sluice.job.Sluice;
import dev.sluice.schemas.testing.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RulesTestCommandTest {
    private static final Path FIREWALL = TestData.inCheckout("test-data/firewall");

    @TempDir Path folder;

    @BeforeEach
    void copy() throws IOException {
        Files.copy(FIREWALL.resolve("server.save"), folder.resolve("server.save"));
    }

    private Sluice run(String from, String to, Object... more) throws IOException {
        Path cases = folder.resolve("cases.yaml");
        String text = Files.readString(FIREWALL.resolve("server.cases.yaml"));
        assertTrue(text.contains(from), from);
        Files.writeString(cases, text.replace(from, to));
        Object[] words = new Object[3 + more.length];
        System.arraycopy(new Object[] {"rules", "test", cases}, 0, words, 0, 3);
        System.arraycopy(more, 0, words, 3, more.length);
        return Sluice.run(words);
    }

    @Test
    void eachCaseThatDiffersIsPrintedWithTheRuleThatDecides() throws IOException {
        Path report = folder.resolve("out.xml");
        Sluice run = run("expect: DROP", "expect: permit", "--junit", report);
        assertEquals(1, run.status(), run.err());
        assertTrue(
                run.out()
                        .contains(
                                ":19: the database stays inside: expected permit, is deny (DROP) by line 17: -A LOGDROP -j DROP"),
                run.out());
        assertTrue(run.out().endsWith("7 cases, 1 not as expected\n"), run.out());
        String xml = Files.readString(report);
        assertTrue(xml.contains("tests=\"7\" failures=\"1\""), xml);
    }

    @Test
    void ruleOfAnotherLineIsNotAsExpected() throws IOException {
        assertEquals(1, run("line: 13", "line: 14").status());
        assertEquals(0, run("line: 13", "line: 13").status());
    }

    @Test
    void jsonTellsEachCase() throws IOException {
        String printed = run("expect: DROP", "expect: not-judged", "--json").out();
        assertEquals(7, printed.lines().count());
        JsonPage.assertTells("rules test", printed);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "expect: DROP | expect: dorp | :21:13: 'dorp': is no verdict of these rules; expect one of ACCEPT, DROP",
                "type: 8 | typ: 8 | has no field type; add it",
                "dport: 3306} | dport: 3306, colour: red} | 'colour': is a field of this packet that Sluice does not read",
                "src: 192.0.2.53 | src: 192.0.2.530 | is not an IPv4 address",
                "proto: udp | proto: upd | is no protocol that Sluice knows by name",
                "rules: server.save#INPUT | '' | names no rules; add a line rules: FILE"
            })
    void whatIsWrittenWrongIsRefusedWithItsPlace(String from, String to, String why)
            throws IOException {
        Sluice run = run(from, to);
        assertTrue(run.status() > 0);
        assertTrue(run.err().contains(why), run.err());
        assertEquals(
                1,
                run.err().lines().filter(line -> !line.startsWith("sluice: see")).count(),
                run.err());
    }

    @Test
    void rulesInPlaceOfCasesAreNamed() {
        Sluice run = Sluice.run("rules", "test", FIREWALL.resolve("server.save"));
        assertTrue(
                run.err()
                        .contains(
                                "server.save: holds rules; name a file of cases, and the rules by --rules"),
                run.err());
    }

    @Test
    void rulesOfASwitchHaveActions() throws IOException {
        Path cases = folder.resolve("switch.yaml");
        Files.writeString(
                cases,
                """
                cases:
                  - name: no telnet
                    packet: {proto: tcp, src: 192.0.2.10, dst: 198.51.100.20, dport: 23}
                    expect: drop
                    line: 3
                  - name: "IPv6 pings"
                    packet: {proto: icmpv6, src: 2001:db8:1::10, dst: 2001:db8:2::20, type: 128}
                    expect: NORMAL
                """);
        Sluice run = Sluice.run("rules", "test", cases, "--rules", TestData.office("office.ovs"));
        assertEquals(0, run.status(), run.out() + run.err());
    }
}
