package dev.sluice.job.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.job.JsonPage;
import dev.sluice.job.Sluice;
import dev.sluice.schemas.testing.TestData;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RulesLintCommandTest {
    private static final String POLICY =
            """
            *filter
            :INPUT DROP [0:0]
            :OLD - [0:0]
            :EMPTY - [0:0]
            :CHECK - [0:0]
            -A INPUT -j CHECK
            -A INPUT -s 10.0.0.0/8 -p tcp --dport 22 -j ACCEPT
            -A INPUT -s 10.1.0.0/16 -p tcp --dport 22 -j DROP
            -A INPUT -p udp --dport 0:99 -j ACCEPT
            -A INPUT -p udp --dport 100:65535 -j ACCEPT
            -A INPUT -p udp -m multiport --dports 53,123 -j DROP
            -A INPUT -p icmp -j EMPTY
            -A INPUT -s 192.0.2.0/24 -j DROP
            -A INPUT -i eth1 -p sctp --sport 7 -j ACCEPT
            -A INPUT -s 198.51.100.0/24 -p tcp --dport 80 -j DROP
            -A CHECK -s 172.16.0.0/12 -j RETURN
            -A CHECK -s 172.16.1.0/24 -j DROP
            -A OLD -j ACCEPT
            COMMIT
            """;

    @TempDir Path folder;

    private Path policy() throws IOException {
        return Files.writeString(folder.resolve("host.save"), POLICY);
    }

    @Test
    void eachFindingNamesItsLines() throws IOException {
        Sluice run = Sluice.run("rules", "lint", policy(), "--format", "tsv");
        assertEquals(0, run.status(), run.err());
        List<String> lines = run.out().lines().toList();
        assertEquals("finding\tline\tchain\tby lines\tpacket\trule", lines.get(0));
        String rows = String.join("\n", lines.subList(1, lines.size()));
        assertTrue(rows.contains("dead\t8\tINPUT\t7\t\t-A INPUT -s 10.1.0.0/16"), rows);
        assertTrue(rows.contains("dead\t11\tINPUT\t9,10\t\t-A INPUT -p udp -m multiport"), rows);
        assertTrue(rows.contains("dead\t17\tCHECK\t16\t\t-A CHECK -s 172.16.1.0/24"), rows);
        assertTrue(rows.contains("empty-jump\t12\tINPUT\t\ticmp 10.0.0.1 > "), rows);
        assertTrue(rows.contains("redundant\t15\tINPUT\t2\ttcp 198.51.100.0:40000"), rows);
        assertTrue(
                rows.contains("conflict\t14\tINPUT\t13\tsctp 10.0.0.1:7 > 10.0.1.2:443 in eth1\t"),
                rows);
        assertTrue(rows.contains("unused-chain\t18\tOLD\t\t\t-A OLD -j ACCEPT"), rows);
        assertTrue(run.err().contains("3 dead, 1 redundant, "), run.err());
    }

    /** Table, TSV, JSON, SARIF and the sentence behind them. */
    @ParameterizedTest
    @ValueSource(strings = {"iptables/host.save", "office/office.ovs", "logs/gateway.nft", ""})
    void eachFormHasTheSameFindings(String data) throws IOException {
        Path rules = data.isEmpty() ? maps() : TestData.inCheckout("test-data/" + data);
        Map<String, Map<String, Integer>> counts = new TreeMap<>();
        for (String form : List.of("table", "tsv", "json", "sarif")) {
            Sluice run = Sluice.run("rules", "lint", rules, "--format", form);
            assertEquals(0, run.status(), run.err());
            Map<String, Integer> of = counts.computeIfAbsent(form, fresh -> new TreeMap<>());
            if (form.equals("sarif")) {
                new ObjectMapper()
                        .readTree(run.out())
                        .at("/runs/0/results")
                        .forEach(one -> of.merge(one.path("ruleId").asText(), 1, Integer::sum));
            } else {
                boolean json = form.equals("json");
                run.out()
                        .lines()
                        .skip(json ? 0 : 1)
                        .map(line -> line.split(json ? "\"" : "\\s")[json ? 3 : 0])
                        .forEach(finding -> of.merge(finding, 1, Integer::sum));
            }
            Map<String, Integer> told =
                    counts.computeIfAbsent("sentence of " + form, fresh -> new TreeMap<>());
            Pattern.compile("([0-9,]+) ([a-z0-9-]+)(?=, [0-9]|;|\n|$)")
                    .matcher(run.err().substring(run.err().lastIndexOf(" live; ")))
                    .results()
                    .forEach(one -> told.put(one.group(2), Integer.valueOf(one.group(1))));
        }
        assertTrue(counts.get("table").size() > 1, counts.toString());
        assertEquals(1, Set.copyOf(counts.values()).size(), counts.toString());
    }

    private Path maps() throws IOException {
        return Files.writeString(
                folder.resolve("maps.nft"),
                """
                table ip f {
                  chain input { type filter hook input priority 0; policy drop;
                    tcp dport 20-25 accept
                    tcp dport vmap { 22 : accept, 23 : drop, 80 : accept }
                    drop
                    tcp dport 81 accept
                    accept
                    drop
                  }
                }
                """);
    }

    @Test
    void rowsNameVerdictsOfMapsAndLinesThatLive() throws IOException {
        Path policy = maps();
        Sluice run = Sluice.run("rules", "lint", policy, "--format", "tsv");
        String map = "tcp dport vmap { 22 : accept, 23 : drop, 80 : accept }";
        List<String> rows = run.out().lines().filter(row -> row.startsWith("dead")).toList();
        assertEquals(
                List.of(
                        "dead\t4\tinput\t3\t\t" + map + " (drop)",
                        "dead\t6\tinput\t5\t\ttcp dport 81 accept",
                        "dead\t7\tinput\t5\t\taccept",
                        "dead\t8\tinput\t5\t\tdrop"),
                rows,
                run.out());
        assertEquals(1, run.out().lines().filter(row -> row.startsWith("any-any")).count());
        String one = "dead\t" + map + " (drop)\n";
        Path known = Files.writeString(folder.resolve("known.txt"), one);
        Sluice accepted = Sluice.run("rules", "lint", policy, "--accept", known);
        assertTrue(accepted.err().contains("; 1 accepted"), accepted.err());
    }

    @Test
    void findingsThatAreKnownDoNotFail() throws IOException {
        Path policy = policy();
        assertEquals(1, Sluice.run("rules", "lint", policy, "--fail-on", "dead").status());
        assertEquals(0, Sluice.run("rules", "lint", policy, "--fail-on", "undecided").status());
        Path known =
                Files.writeString(
                        folder.resolve("known.txt"),
                        """
                        # agreed with the network team
                        dead\t-A INPUT -s 10.1.0.0/16 -p tcp --dport 22 -j DROP
                        dead\t-A INPUT -p udp -m multiport --dports 53,123 -j DROP
                        dead\t-A CHECK -s 172.16.1.0/24 -j DROP
                        dead\t-A INPUT -j GONE
                        """);
        Sluice run = Sluice.run("rules", "lint", policy, "--fail-on", "dead", "--accept", known);
        assertEquals(0, run.status(), run.out());
        assertTrue(run.err().contains("names no finding, remove it: dead\t-A INPUT -j GONE"));
        assertTrue(run.err().contains("; 3 accepted"), run.err());
    }

    @Test
    void findingsOfTheTableAreAcceptedAsTheyStandThere() throws IOException {
        Path policy =
                Files.writeString(
                        folder.resolve("quoted.save"),
                        """
                        *filter
                        :INPUT DROP [0:0]
                        -A INPUT -s 10.0.0.0/8 -j DROP
                        -A INPUT -s 10.1.0.0/16 -m comment --comment "of \\"two\\" hosts" -j ACCEPT
                        COMMIT
                        """);
        String dead =
                Sluice.run("rules", "lint", policy, "--format", "tsv")
                        .out()
                        .lines()
                        .map(line -> line.split("\t"))
                        .filter(cells -> cells[0].equals("dead"))
                        .map(cells -> cells[0] + "\t" + cells[5])
                        .collect(Collectors.joining("\n"));
        Path known = Files.writeString(folder.resolve("table.txt"), dead + "\n");
        Sluice run = Sluice.run("rules", "lint", policy, "--fail-on", "dead", "--accept", known);
        assertEquals(0, run.status(), run.err());
        assertTrue(run.err().contains("; 1 accepted"), run.err());
    }

    @Test
    void jsonTellsEachRule() throws IOException {
        Path rules = TestData.inCheckout("test-data/office/office.ovs");
        Sluice run = Sluice.run("rules", "lint", rules, "--all", "--json");
        assertEquals(0, run.status(), run.err());
        JsonPage.assertTells("rules lint", run.out());
    }

    @Test
    void packetsTellWhichRulesTheyNeed() throws IOException {
        Path rules = TestData.inCheckout("test-data/firewall/server.save");
        Path capture = TestData.inCheckout("test-data/firewall/server.pcapng.gz");
        Object[] asked = {
            "rules", "lint", rules + "#INPUT", "--hits", capture, "--conntrack", "linux", "--format"
        };
        Sluice run = Sluice.run(with(asked, "tsv"));
        assertEquals(0, run.status(), run.err());
        String rows = run.out();
        assertTrue(rows.contains("never-hit\t9\tINPUT\t\t0 ?\t\t\ttcp "), rows);
        assertTrue(
                rows.contains(
                        "wider\t13\tINPUT\t\t14\t2026-11-28T14:11:44Z\tsource 192.0.2.0/24: only 192.0.2.10\t"),
                rows);
        assertTrue(rows.contains("deny-hit\t17\tLOGDROP\t\t12\t2026-11-28T14:11:48Z\t"), rows);
        assertTrue(!rows.contains("never-hit\t12"), "packets depend on its limit: " + rows);
        assertTrue(!rows.contains("never-hit\t5"), "it is the default: " + rows);
        Sluice json = Sluice.run(with(asked, "json"));
        JsonPage.assertTells("rules lint", json.out());
        Sluice log = Sluice.run(with(asked, "sarif"));
        assertTrue(log.out().contains("Of source 192.0.2.0/24: only 192.0.2.10."), log.out());
        assertTrue(
                !rows.contains("wider\t17"), "a rule that denies is not told as too wide: " + rows);
        Sluice ways = Sluice.run("rules", "lint", rules, "--hits", capture, "--format", "tsv");
        assertTrue(ways.out().contains("never-hit\t17\tLOGDROP\t\t0 ?\t"), ways.out());
        assertTrue(ways.err().contains("107 packets of which no header tells"), ways.err());
        Sluice failing =
                Sluice.run("rules", "lint", rules + "#INPUT", "--hits", capture, "--fail-on=wider");
        assertEquals(1, failing.status(), failing.err());
    }

    /** Packets may hit the dead rule by its conditions, and the lines before it take them. */
    @Test
    void packetsThatDependDoNotHitDeadRules(@TempDir Path folder) throws IOException {
        Path rules =
                Files.writeString(
                        folder.resolve("dead.save"),
                        """
                        *filter
                        :INPUT DROP [0:0]
                        -A INPUT -p tcp -m tcp --dport 22 -m limit --limit 3/min -j ACCEPT
                        -A INPUT -p tcp -j DROP
                        -A INPUT -p tcp -m tcp --dport 22 -j REJECT
                        COMMIT
                        """);
        Path capture = TestData.inCheckout("test-data/firewall/server.pcapng.gz");
        Sluice run = Sluice.run("rules", "lint", rules, "--hits", capture, "--format", "tsv");
        assertTrue(run.out().contains("never-hit\t4\tINPUT\t\t0 ?\t"), run.out());
        assertTrue(run.out().contains("dead\t5\tINPUT\t4\t0\t"), run.out());
    }

    /** Rules that name prefixes of 64 bits read no more of an address, and lint reads it whole. */
    @Test
    void addressesOfPacketsAreToldWhole() throws IOException {
        Path rules = TestData.inCheckout("test-data/office/office.ovs");
        Path capture = TestData.inCheckout("test-data/office/office.pcapng.gz");
        Sluice run = Sluice.run("rules", "lint", rules, "--hits", capture, "--format", "tsv");
        String known =
                "source any: only 2001:db8:1::10; destination 2001:db8:2::/64: only 2001:db8:2::20\t";
        assertTrue(run.out().contains(known), run.out());
        assertTrue(run.out().contains("never-hit\t2\t\t\t0\t\t\t"), run.out());
    }

    /** A host with an address tells which packets meet INPUT, FORWARD and OUTPUT. */
    @Test
    void hostTellsThePacketsOfEachHook() throws IOException {
        Path rules =
                Files.writeString(
                        folder.resolve("hooks.save"),
                        """
                        *filter
                        :INPUT DROP [0:0]
                        :FORWARD DROP [0:0]
                        :OUTPUT ACCEPT [0:0]
                        -A INPUT -d 192.0.2.77 -j ACCEPT
                        -A INPUT -d 192.0.2.1 -p tcp -j ACCEPT
                        -A FORWARD -d 192.0.2.1 -j ACCEPT
                        -A OUTPUT -s 10.0.0.1 -j DROP
                        COMMIT
                        """);
        String address =
                "[{\"ifname\":\"eth0\",\"addr_info\":[{\"family\":\"inet\",\"local\":\"192.0.2.1\",\"prefixlen\":24}]}]";
        Path host = Files.writeString(folder.resolve("host.json"), address);
        assertEquals("", dead(Sluice.run("rules", "lint", rules, "--format", "tsv")));
        assertEquals(
                "5,7,8",
                dead(Sluice.run("rules", "lint", rules, "--host", host, "--format", "tsv")));
    }

    private static String dead(Sluice run) {
        assertEquals(0, run.status(), run.err());
        return run.out()
                .lines()
                .filter(line -> line.startsWith("dead"))
                .map(line -> line.split("\t")[1])
                .collect(Collectors.joining(","));
    }

    private static Object[] with(Object[] words, Object last) {
        Object[] all = Arrays.copyOf(words, words.length + 1);
        all[words.length] = last;
        return all;
    }

    /** Members that SARIF 2.1.0 and those who show it need. */
    @Test
    void sarifPlacesEachFinding() throws IOException {
        Path policy = Files.writeString(folder.resolve("my host.save"), POLICY);
        Sluice run = Sluice.run("rules", "lint", policy, "--format", "sarif", "--all");
        assertEquals(0, run.status(), run.err());
        JsonNode log = new ObjectMapper().readTree(run.out());
        assertEquals("2.1.0", log.path("version").asText());
        assertEquals(1, log.path("runs").size());
        JsonNode rules = log.at("/runs/0/tool/driver/rules");
        assertEquals("sluice rules lint", log.at("/runs/0/tool/driver/name").asText());
        Set<String> found = new TreeSet<>();
        for (JsonNode result : log.at("/runs/0/results")) {
            String id = result.path("ruleId").asText();
            assertEquals(id, rules.path(result.path("ruleIndex").asInt()).path("id").asText());
            assertTrue(result.path("level").asText().matches("warning|note"), id);
            assertTrue(result.at("/message/text").asText().contains(" Rule: "), id);
            assertEquals(1, result.path("locations").size());
            JsonNode place = result.at("/locations/0/physicalLocation");
            URI file = URI.create(place.at("/artifactLocation/uri").asText());
            assertEquals(policy, Path.of(file));
            int line = place.at("/region/startLine").asInt();
            assertEquals(
                    POLICY.lines().toList().get(line - 1),
                    place.at("/region/snippet/text").asText());
            assertEquals(36, result.at("/partialFingerprints/finding~1v1").asText().length());
            found.add(
                    id
                            + " "
                            + line
                            + " "
                            + result.at("/relatedLocations/0/physicalLocation/region/startLine")
                                    .asText());
        }
        assertTrue(
                found.containsAll(Set.of("dead 8 7", "unused-chain 18 ", "conflict 14 13")),
                found.toString());
        Sluice other = Sluice.run("rules", "show", policy, "--format", "sarif");
        assertEquals(2, other.status(), other.err());
        assertTrue(
                other.err()
                        .contains(
                                "sarif: the command has no rows of this format; use one of table, tsv, json"),
                other.err());
    }

    @Test
    void sarifNamesRelativeFilesAndPlacesNoDefault() throws IOException {
        Path rules =
                Path.of("")
                        .toAbsolutePath()
                        .relativize(
                                TestData.inCheckout("test-data/office/office.ovs")
                                        .toAbsolutePath());
        Sluice run =
                Sluice.run("rules", "lint", rules, "--format", "sarif", "--default-action", "drop");
        assertEquals(0, run.status(), run.err());
        JsonNode results = new ObjectMapper().readTree(run.out()).at("/runs/0/results");
        for (JsonNode result : results) {
            JsonNode place = result.at("/locations/0/physicalLocation");
            assertEquals(rules.normalize().toString(), place.at("/artifactLocation/uri").asText());
            assertTrue(!place.has("region") || place.at("/region/startLine").asInt() > 0);
        }
        assertTrue(results.size() > 0, run.out());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--nat | so that it could not tell dead rules of them; leave it out",
                "--conntrack=linux | leave it out, or name captures",
                "--hits=none.pcap | capture none.pcap does not exist",
                "--fail-on=ded | ded is unknown; use one of dead, undecided, redundant",
                "--accept=none.txt | accepted findings none.txt does not exist; check the path",
                "--hook=SIDE | holds no policy SIDE; name one"
            })
    void whatCannotBeAskedIsRefused(String option, String why) throws IOException {
        Sluice run = Sluice.run("rules", "lint", policy(), option);
        assertTrue(run.status() > 0);
        assertTrue(run.err().contains(why), run.err());
    }
}
