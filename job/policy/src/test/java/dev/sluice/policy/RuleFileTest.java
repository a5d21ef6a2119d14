package dev.sluice.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.FieldBits;
import dev.sluice.schemas.header.HeaderWord;
import dev.sluice.schemas.testing.SharedData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RuleFileTest {
    @TempDir Path folder;

    private RuleFile read(String... lines) throws IOException {
        Path file = folder.resolve("r.txt");
        Files.write(file, List.of(lines));
        return RuleFile.read(file, null);
    }

    private static RuleFile list(Path file, String list) {
        return RuleFile.read(Path.of(file + "#" + list), null);
    }

    private Match one(String line) throws IOException {
        return read(line).rules().get(0).match();
    }

    /** An IPv4 TCP header 10.1.2.3:1000 to 10.9.9.9:80 with SYN, DSCP 5, untagged. */
    private static int[] tcp() {
        int[] h = new int[HeaderWord.COUNT];
        h[HeaderWord.IPV4_SRC] = 0x0a010203;
        h[HeaderWord.IPV4_DST] = 0x0a090909;
        h[HeaderWord.PORTS] = 1000 << 16 | 80;
        h[HeaderWord.TCP_FLAGS] = 2;
        h[HeaderWord.IP] =
                Field.IP_PROTO.place(6)
                        | Field.IP_VERSION.place(Field.VERSION_4)
                        | Field.PORTS_PRESENT.place(1)
                        | Field.ETH_SRC_PRESENT.place(1)
                        | Field.ETH_DST_PRESENT.place(1)
                        | Field.TOS.place(20);
        h[HeaderWord.ETHER] = Field.ETH_TYPE.place(0x0800);
        FieldBits.orMac(h, Field.ETH_SRC, 0x020000000001L);
        return h;
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "tcp actions=drop | true",
                "udp actions=drop | false",
                "ip,nw_src=10.1.0.0/16 actions=drop | true",
                "ip,nw_src=10.1.99.3/255.255.0.255 actions=drop | true",
                "ip,nw_src=10.2.0.0/16 actions=drop | false",
                "tcp,tp_dst=80 actions=drop | true",
                "tcp,tp_src=0x3e0/0xffe0 actions=drop | true",
                "tcp,tcp_flags=+syn-ack actions=drop | true",
                "tcp,tcp_flags=+syn+ack actions=drop | false",
                "tcp,tcp_flags=0x002/0x012 actions=drop | true",
                "tcp,tcp_flags=syn actions=drop | true",
                "dl_vlan=0xffff actions=drop | true",
                "dl_vlan=0 actions=drop | false",
                "vlan_tci=0x0000 actions=drop | true",
                "vlan_tci=0x1000/0x1000 actions=drop | false",
                "dl_vlan_pcp=0 actions=drop | false",
                "dl_src=02:00:00:00:00:01 actions=drop | true",
                "dl_src=03:00:00:00:00:00/01:00:00:00:00:00 actions=drop | false",
                "ip,nw_tos=20 actions=drop | true",
                "ip,ip_dscp=5 actions=drop | true",
                "ip,nw_ecn=1 actions=drop | false",
                "ip,nw_frag=no actions=drop | true",
                "ip,nw_frag=later actions=drop | false",
                "dl_type=0x0800,nw_proto=6,tp_src=1000 actions=drop | true",
                "in_port=1 actions=drop | false",
                "tun_id=0 actions=drop | true",
                "tun_id=0x2a actions=drop | false",
                "tunnel_id=0x20/0x20 actions=drop | false",
                "tun_id=1/0xffffffff00000000 actions=drop | true",
                "tun_id=* actions=drop | true",
                "arp actions=drop | false",
                "@10.1.2.0/24 0.0.0.0/0 0 : 65535 80 : 90 0x06/0xFF 0x1000/0x1000 | true",
                "@10.1.2.0/24 0.0.0.0/0 0:65535 81:90 0x06/0xFF | false",
                "@10.1.2.99/24 10.9.0.0/16 999 : 1001 0 : 65535 0x00/0x00 0x0000/0x0000 | true",
                "@::/0 ::/0 0 : 65535 0 : 65535 0x00/0x00 | false"
            })
    void aLineMatchesAsItsFormatSays(String line, boolean expected) throws IOException {
        assertEquals(expected, one(line).matches(tcp()));
    }

    @Test
    void aFlowNamesATunnelByItsIdOrByBitsOfIt() throws IOException {
        int[] inTunnel = tcp();
        inTunnel[HeaderWord.TUNNEL_ID] = 0xfffffffe;
        inTunnel[HeaderWord.IP] |= Field.TUNNEL_ID_PRESENT.place(1);
        assertTrue(one("tun_id=0xfffffffe,tcp actions=drop").matches(inTunnel));
        assertTrue(one("tun_id=4294967294 actions=drop").matches(inTunnel));
        assertTrue(one("tun_id=0x6/0x7 actions=drop").matches(inTunnel));
        assertTrue(one("tun_id=0x6/0xffffffff00000007 actions=drop").matches(inTunnel));
        assertFalse(one("tun_id=0 actions=drop").matches(inTunnel));
    }

    @Test
    void aLaterFragmentMatchesNoRuleThatConstrainsPorts() throws IOException {
        int[] later = tcp();
        later[HeaderWord.PORTS] = 0;
        later[HeaderWord.TCP_FLAGS] = 0;
        later[HeaderWord.IP] =
                later[HeaderWord.IP] & ~Field.PORTS_PRESENT.maskInWord()
                        | Field.FRAGMENT.place(Field.FRAGMENT_LATER);
        assertTrue(one("tcp actions=drop").matches(later));
        assertTrue(one("@10.1.2.0/24 0.0.0.0/0 0 : 65535 0 : 65535 0x06/0xFF").matches(later));
        assertFalse(one("tcp,tp_dst=0 actions=drop").matches(later));
        assertFalse(one("@10.1.2.0/24 0.0.0.0/0 0 : 65535 0 : 80 0x06/0xFF").matches(later));
        assertFalse(one("tcp,tcp_flags=0/0x3f actions=drop").matches(later));
    }

    @Test
    void namesThatOnlyDumpsWriteAreRead() throws IOException {
        assertFalse(one("tcp,tcp_flags=syn|ack actions=drop").matches(tcp()));
        int[] synAck = tcp();
        synAck[HeaderWord.TCP_FLAGS] = 0x12;
        assertTrue(one("tcp,tcp_flags=syn|ack actions=drop").matches(synAck));
        int[] echo = new int[HeaderWord.COUNT];
        echo[HeaderWord.ETHER] = Field.ETH_TYPE.place(0x86dd);
        echo[HeaderWord.IP] = Field.IP_PROTO.place(58) | Field.PORTS_PRESENT.place(1);
        echo[HeaderWord.PORTS] = 128 << 16;
        assertTrue(one("icmp6,icmp_type=128,icmp_code=0 actions=drop").matches(echo));
        assertTrue(one("icmp6,icmpv6_type=128 actions=drop").matches(echo));
        assertFalse(one("icmp,icmp_type=128 actions=drop").matches(echo));
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

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "tcp,tp_dst=99999 actions=drop | :1:12: '99999': is beyond 65535",
                "nw_src=10.0.0.1 actions=drop | :1:1: 'nw_src': lacks its prerequisite",
                "ip,tp_dst=80 actions=drop | :1:4: 'tp_dst': lacks its prerequisite",
                "tcp,nw_proto=17 actions=drop | :1:5: 'nw_proto=17': contradicts",
                "tcp,tp_port=1 actions=drop | :1:5: 'tp_port=1': is not a match field",
                "arp,nw_src=10.0.0.1 actions=drop | of an ARP packet",
                "arp,arp_sha=00:00:00:00:00:01 actions=drop | packet headers in Sluice do not carry",
                "tun_src=1.1.1.1,ip actions=drop | packet headers in Sluice do not carry",
                "tun_id=0x100000000 actions=drop | :1:8: '0x100000000': names more than 32 bits",
                "tun_id=zz actions=drop | :1:8: 'zz': is no number of 64 bits",
                "tun_id=1/zz actions=drop | :1:10: 'zz': is no number of 64 bits",
                "tun_id=1,tunnel_id=2 actions=drop | :1:10: 'tunnel_id=2': undoes tun_id=1",
                "ct_state=+trk,ip actions=drop | is the state of a connection",
                "reg0=0x1,ip actions=drop | is set by flows of other tables",
                "metadata=0x1,ip actions=drop | is set by flows of other tables",
                "conj_id=0,ip actions=drop | :1:9: '0': is no conjunction",
                "tcp actions=conjunction(7,3/2) | 'conjunction(7,3/2)': is none",
                "tcp actions=note:00,CONJUNCTION(7,1/2),drop | 'drop': stands beside conjunction",
                "conj_id=7,ip actions=conjunction(8,1/2) | makes a conjunction of another one",
                "in_port=eth0 actions=drop | ovs-ofctl show BRIDGE",
                "tcp,tcp_flags=+foo actions=drop | '+foo': is no TCP flag",
                "dl_vlan=5000 actions=drop | '5000': is beyond 4095",
                "ip,nw_src=10.0.0.300 actions=drop | '10.0.0.300': is not an IPv4 address",
                "ip,nw_src=10.0.0.1.2 actions=drop | '10.0.0.1.2': is not an IPv4 address",
                "ip,nw_src=10.0.1 actions=drop | '10.0.1': is not an IPv4 address",
                "ip,nw_src=10..0.1 actions=drop | '10..0.1': is not an IPv4 address",
                "ip,nw_src=10.0.0. actions=drop | '10.0.0.': is not an IPv4 address",
                "ip,nw_src=10.0.0.0001 actions=drop | '10.0.0.0001': is not an IPv4 address",
                "ip,nw_src=10.0.0.0/33 actions=drop | '33': is not a prefix length",
                "ip,nw_src=10.0.0.0/0008 actions=drop | '0008': is not a prefix length",
                "ip,nw_src=10.0.0.0/ actions=drop | '': is not a prefix length",
                "tcp,tp_dst=0x10000000000000050 actions=drop | '0x10000000000000050': is beyond 65535",
                "tcp,tp_dst=18446744073709551696 actions=drop | '18446744073709551696': is beyond 65535",
                "tcp,tp_dst=0x actions=drop | '0x': is not a number",
                "tcp,tp_dst=8\u0660 actions=drop | is not a number",
                "ipv6,ipv6_src=2001:zz::1 actions=drop | is not an IPv6 address",
                "priority=70000,ip actions=drop | '70000': is beyond 65535",
                "tcp,tp_dst=08 actions=drop | :1:12: '08': is octal",
                "priority=0777777,tcp actions=drop | '0777777': is octal",
                "tcp,tp_dst=1,tp_dst=1 actions=drop | :1:14: 'tp_dst=1': undoes tp_dst=1",
                "tcp,tp_dst=1,tcp_dst=2 actions=drop | 'tcp_dst=2': undoes tp_dst=1",
                "dl_vlan=5,vlan_tci=0x2000/0x2000 actions=drop | 'vlan_tci=0x2000/0x2000': undoes dl_vlan=5",
                "ip,dl_type=* actions=drop | 'dl_type=*': undoes",
                "priority=1,priority=2,ip actions=drop | :1:12: 'priority': is said before",
                "tcp,tcp_flags=+syn-syn actions=drop | :1:19: '-syn': is said before",
                "tcp,tcp_flags=SYN actions=drop | 'SYN': is no TCP flag",
                "icmp,tp_src=300 actions=drop | :1:13: '300': is beyond 255",
                "tcp,tp_src=1,nw_frag=later actions=drop | :1:14: 'nw_frag=later': has no ports",
                "icmp,tp_src=8/0xf actions=drop | :1:13: '8/0xf': is a part of ICMP's type",
                "vlan_vid=5 actions=drop | '5': names bits of a tag",
                "dl_type=5 actions=drop | '5': is a length and no EtherType",
                "in_port=70000 actions=drop | '70000': is no port",
                "in_port=0x3 actions=drop | '0x3': is hexadecimal",
                "dl_type=0x800/0xff00 actions=drop | :1:14: '/0xff00': is a part of the field",
                "actions=drop priority=5,udp actions=NORMAL | :1:14: 'priority': is no action",
                "tcp actions=dorp | :1:13: 'dorp': is no action",
                "tcp actions=drop,output:1 | :1:18: 'output': stands beside",
                "tcp actions=resubmit(,1 | 'resubmit': opens a parenthesis",
                "priority=1,tcp actions drop | 'actions': have no value",
                "in_port(1 actions=drop | 'in_port': opens a parenthesis",
                "cookie=zzz,tcp actions=drop | 'zzz': is no number of 64 bits",
                "cookie=5/5,tcp actions=drop | '5/5': is no number of 64 bits",
                "table=255,tcp actions=drop | '255': is beyond 254",
                "priority=1,ip | the flow has no actions",
                "in_port=veth0 actions=drop | name of a switch port",
                "ip,nw_tos=21 actions=drop | ECN bits",
                "delete tcp actions=drop | is not a flow to add",
                "@10.0.0.0/8 0.0.0.0/0 80 : 20 0 : 65535 0x06/0xFF | is an empty port range",
                "@10.0.0.0/8 0.0.0.0/0 0 : 65535 0 : 65535 6 | has no mask",
                "@10.0.0.0 0.0.0.0/0 0 : 65535 0 : 65535 0x06/0xFF | has no prefix length",
                "@10.0.0.0/8 ::/0 0 : 65535 0 : 65535 0x06/0xFF | is not an IPv4 address",
                "@10.0.0.0/8 0.0.0.0/0 0 : 65535 0 : 65535 0x06/0xFF 0x0/0x0 drop now | stands behind the end",
                "@10.0.0.0/8 0.0.0.0/0 0 : 65535 0 : 65535 0x06/0xFF 0x0/0xzz | is neither flags/mask nor an action",
                "@10.0.0.0/8 0.0.0.0/0 0 : 65535 0 : 65535 0x06/0xFF 0x0/0x0 7 | is no action; write one word",
                "-A FORWARD -j DROP | is of none of the formats that are known: classbench, as in"
            })
    void whatCannotBeExpressedIsRefusedWithPlaceAndRemedy(String line, String expected) {
        String message = assertThrows(SluiceException.class, () -> read(line)).getMessage();
        assertTrue(message.contains(expected), message);
        assertTrue(message.contains("r.txt:1:"), message);
    }

    @Test
    void allDefectsOfAFileAreReportedTogether() {
        String message =
                assertThrows(
                                SluiceException.class,
                                () ->
                                        read(
                                                "tcp,tp_dst=x actions=drop",
                                                "udp actions=drop",
                                                "foo=1 actions=drop"))
                        .getMessage();
        assertEquals(2, message.lines().count(), message);
        assertTrue(message.contains("r.txt:3:1:"), message);
    }

    @Test
    void flowsOfTwoTablesAreRefused() {
        String message =
                assertThrows(
                                SluiceException.class,
                                () -> read("table=0,ip actions=drop", "table=1,ip actions=drop"))
                        .getMessage();
        assertTrue(message.contains("r.txt:2:1: 'table=1'"), message);
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
    void linesThatAreRefusedForOneReasonAreCounted() {
        String message =
                assertThrows(
                                SluiceException.class,
                                () ->
                                        read(
                                                "reg0=0x1,tcp actions=drop",
                                                "table=1,ip actions=drop",
                                                "tcp,reg12=0x1 actions=drop",
                                                "ct_state=+new,ip actions=drop",
                                                "ip actions=drop",
                                                "xxreg0=0x1,tcp actions=drop",
                                                "table=2,ip actions=drop",
                                                "table=Out,ip actions=drop"))
                        .getMessage();
        List<String> lines = message.lines().toList();
        assertEquals(3, lines.size(), message);
        assertTrue(lines.get(0).contains("r.txt:1:1: 'reg0=0x1'"), message);
        assertTrue(lines.get(0).endsWith("; 2 more lines of this kind"), message);
        assertTrue(lines.get(1).contains("'ct_state=+new'"), message);
        assertTrue(lines.get(2).contains("'table=0'"), message);
        assertTrue(lines.get(2).contains("r.txt#1 or another"), message);
        assertTrue(lines.get(2).endsWith("of this kind"), message);
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
    void missingAndEmptyFilesAreNamed() throws IOException {
        Path none = folder.resolve("none");
        assertTrue(
                assertThrows(SluiceException.class, () -> RuleFile.read(none, null))
                        .getMessage()
                        .contains("none does not exist"));
        assertTrue(
                assertThrows(SluiceException.class, () -> read("# nothing"))
                        .getMessage()
                        .contains("holds no rule"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "tcp,tp_src=010 actions=drop | tcp,tp_src=8 actions=drop",
                "dl_type=04000 actions=drop | ip actions=drop",
                "in_port=010 actions=drop | in_port=10 actions=drop",
                "in_port=4294967294 actions=drop | in_port=LOCAL actions=drop",
                "ip4 actions=drop | ip actions=drop",
                "eth,ipv4 actions = drop | ip actions=drop",
                "in_port:1 actions=drop | in_port=1 actions=drop",
                "in_port(1),tcp actions=drop | tcp,in_port=1 actions=drop",
                "dl_src:00:11:22:33:44:55 actions=drop | dl_src=00:11:22:33:44:55 actions=drop",
                "tcp,tcp_flags=+[200] actions=drop | tcp,tcp_flags=0x200/0x200 actions=drop",
                "ip,nw_src=* actions=drop | ip actions=drop",
                "dl_type=0x800/0xffff actions=drop | ip actions=drop",
                "vlan_vid=0 actions=drop | dl_vlan=0xffff actions=drop"
            })
    void formsOfOneFlowMeanTheSame(String line, String same) throws IOException {
        assertEquals(one(same), one(line));
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
    void aMessageRepeatsALongLineInPart() {
        String message =
                assertThrows(
                                SluiceException.class,
                                () -> read("x".repeat(100_000) + "= actions=drop"))
                        .getMessage();
        assertTrue(message.length() < 1000, () -> message.length() + " characters");
    }

    @Test
    void moreDefectsThanTwentyAreCounted() {
        String[] lines = new String[30];
        Arrays.fill(lines, "foo=1 actions=drop");
        String message = assertThrows(SluiceException.class, () -> read(lines)).getMessage();
        assertEquals(21, message.lines().count());
        assertTrue(message.endsWith("and 10 more lines that cannot be read"), message);
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
