package dev.sluice.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.schemas.testing.SharedData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rules that a file holds, in their order, with their ids and warnings. */
class RuleFileTest {
    @TempDir Path folder;

    private RuleFile read(String... lines) throws IOException {
        return RuleLines.read(folder, lines);
    }

    private static RuleFile list(Path file, String list) {
        return RuleFile.read(Path.of(file + "#" + list), null);
    }

    private Match one(String line) throws IOException {
        return RuleLines.one(folder, line);
    }

    @Test
    void aDumpIsReadAsItIsPrinted() throws IOException {
        RuleFile file =
                read(
                        "NXST_FLOW reply (xid=0x4):",
                        " cookie=0x0, duration=10.1s, table=0, n_packets=0, n_bytes=0, idle_age=10, priority=7,tcp,in_port=3 actions=output:2",
                        "# comment",
                        "add priority=9,ip,nw_dst=10.0.0.1 actions=mod_dl_src:02:00:00:00:00:09,output:1",
                        "idle_timeout=60,udp6,ipv6_src=2001:db8::/32,tp_dst=53 actions=NORMAL");
        assertEquals(List.of(2, 4, 5), file.rules().stream().map(Rule::line).toList());
        assertEquals(List.of(7, 9, 32_768), file.rules().stream().map(Rule::priority).toList());
        assertEquals("mod_dl_src:02:00:00:00:00:09,output:1", file.rules().get(1).action());
        assertTrue(
                file.warnings().get(0).contains(":5: idle_timeout is not kept"),
                file.warnings().toString());
    }

    @Test
    void aRuleCarriesItsLineAsTheFileHasIt() throws IOException {
        RuleFile file =
                read(
                        "# a comment",
                        "  priority=9,ip,nw_dst=10.0.0.1 actions=drop # B\u00fcro \u2013 Gast ",
                        "tcp actions=NORMAL");
        assertEquals(
                List.of(
                        "priority=9,ip,nw_dst=10.0.0.1 actions=drop # B\u00fcro \u2013 Gast",
                        "tcp actions=NORMAL"),
                file.rules().stream().map(Rule::text).toList());
    }

    @Test
    void priorityWinsAndATieGoesToTheEarlierLine() throws IOException {
        RuleSet set =
                read("priority=1 actions=1", "priority=5 actions=2", "priority=5,ip actions=3")
                        .toRuleSet("s", 1, "drop");
        assertEquals(List.of("2", "3", "1"), set.rules().stream().map(Rule::action).toList());
        RuleSet classBench =
                read(
                                "@1.0.0.0/8 0.0.0.0/0 0 : 65535 0 : 65535 0x00/0x00",
                                "@0.0.0.0/0 0.0.0.0/0 0 : 65535 0 : 65535 0x00/0x00")
                        .toRuleSet("s", 1, "drop");
        assertEquals(List.of(1, 2), classBench.rules().stream().map(Rule::line).toList());
    }

    @Test
    void idsStayWhenLinesMoveAndPrioritiesChange() throws IOException {
        RuleFile before =
                read("priority=1,tcp actions=1", "priority=2,tcp actions=1", "udp actions=2");
        RuleFile after =
                read(
                        "# new",
                        "priority=9,icmp actions=3",
                        "priority=3,tcp actions=1",
                        "udp actions=2",
                        "tcp actions=1");
        assertEquals(before.rules().get(0).id(), after.rules().get(1).id());
        assertEquals(before.rules().get(1).id(), after.rules().get(3).id());
        assertEquals(before.rules().get(2).id(), after.rules().get(2).id());
        assertEquals(4, after.rules().stream().map(Rule::id).distinct().count());
    }

    @Test
    void aTableMayBeNamedAndOneOfSeveralIsChosen() throws IOException {
        assertEquals(
                2,
                read("table=In,tcp actions=drop", "table=\"In\",udp actions=drop").rules().size());
        Path file = folder.resolve("several.ovs");
        Files.write(
                file,
                List.of(
                        " cookie=0x0, table=0, reg0=1,tcp actions=resubmit(,1)",
                        "tcp actions=drop",
                        "table=\"Out put\",udp actions=NORMAL",
                        "table=1,ip actions=drop # table=2"));
        assertEquals(4, list(file, "1").rules().get(0).line());
        assertEquals(3, list(file, "Out put").rules().get(0).line());
        String none = assertThrows(SluiceException.class, () -> list(file, "7")).getMessage();
        assertTrue(none.endsWith("#0 or %1$s#1 or %1$s#Out put".formatted(file)), none);
    }

    @Test
    void whatASwitchLearnsIsWarnedOf() throws IOException {
        List<String> warnings =
                read("tcp actions=learn(table=0,NXM_OF_VLAN_TCI[]),NORMAL").warnings();
        assertTrue(warnings.get(0).contains("learns as packets come"), warnings.toString());
    }

    /** Dumps that people have published, and what is right of them by ofproto/trace. */
    @Test
    void dumpsOfSeveralAndOfNamedTablesAreRead() {
        Path reports = SharedData.folder("reports");
        assertEquals(2, RuleFile.read(reports.resolve("named-tables.ovs"), null).rules().size());
        Path several = reports.resolve("multi-table.ovs");
        assertEquals("output:2", list(several, "1").rules().get(0).action());
        RuleFile conjunction = RuleFile.read(reports.resolve("conj.ovs"), null);
        assertEquals(2, conjunction.rules().size());
        assertTrue(conjunction.warnings().get(0).endsWith("no flow has its conj_id"));
        String message =
                assertThrows(SluiceException.class, () -> RuleFile.read(several, null))
                        .getMessage();
        assertTrue(message.endsWith("; 1 more line of this kind"), message);
    }

    @Test
    void aLaterFlowOfTheSameMatchAndPriorityReplacesTheEarlier() throws IOException {
        RuleFile file =
                read(
                        "priority=5,tcp actions=1",
                        "priority=5,udp actions=2",
                        "priority=5,ip,nw_proto=6 actions=3",
                        "priority=6,tcp actions=4");
        assertEquals(List.of(2, 3, 4), file.rules().stream().map(Rule::line).toList());
        assertEquals(1, file.warnings().size());
        assertTrue(
                file.warnings().get(0).contains(":3: replaces the flow of line 1"),
                file.warnings().get(0));
    }

    @Test
    void repliesInPartsAreReadAndAByteOrderMarkIsSkipped() throws IOException {
        RuleFile file =
                read(
                        "\ufeffNXST_FLOW reply (xid=0x4): flags=[more]",
                        " cookie=0x0, duration=1s, table=0, n_packets=0, n_bytes=0, tcp actions=drop",
                        "NXST_FLOW reply (xid=0x4):",
                        "OFPST_FLOW reply (OF1.3) (xid=0x2):",
                        " cookie=0x0, duration=1s, table=0, n_packets=0, n_bytes=0, udp actions=drop");
        assertEquals(List.of(2, 5), file.rules().stream().map(Rule::line).toList());
    }

    @Test
    void portsAreNamedByAMapOrByWhatTheSwitchShows() throws IOException {
        Path own = Files.write(folder.resolve("own"), List.of("# ports", "eth0 7", "uplink=0010"));
        Path shown =
                Files.write(
                        folder.resolve("shown"),
                        List.of(
                                "OFPT_FEATURES_REPLY (xid=0x2): dpid:0000000000000001",
                                "n_tables:254, n_buffers:0",
                                " 7(eth0): addr:aa:55:aa:55:00:01",
                                "     config:     PORT_DOWN",
                                " LOCAL(br0): addr:aa:55:aa:55:00:02",
                                "OFPT_GET_CONFIG_REPLY (xid=0x4): frags=normal miss_send_len=0"));
        Match seven = one("in_port=7 actions=drop");
        for (Path ports : List.of(own, shown)) {
            SwitchPorts names = SwitchPorts.read(ports);
            assertEquals(seven, RuleText.parse("in_port=eth0 actions=eth0", names).match());
            assertEquals(seven, RuleText.parse("in_port=\"eth0\" actions=drop", names).match());
        }
        assertEquals(
                one("in_port=10 actions=drop"),
                RuleText.parse("in_port=uplink actions=drop", SwitchPorts.read(own)).match());
        assertEquals(
                one("in_port=LOCAL actions=drop"),
                RuleText.parse("in_port=br0 actions=drop", SwitchPorts.read(shown)).match());
        Path wrong = Files.write(folder.resolve("wrong"), List.of("eth0 7", "eth1 seven"));
        String message =
                assertThrows(SluiceException.class, () -> SwitchPorts.read(wrong)).getMessage();
        assertTrue(message.contains("wrong:2: 'eth1 seven' is no port"), message);
    }
}
