package dev.sluice.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.policy.io.SluiceException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Defects of rule files, as messages say them: place, reason and remedy. */
class RuleFileDefectsTest {
    @TempDir Path folder;

    private RuleFile read(String... lines) throws IOException {
        return RuleLines.read(folder, lines);
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
                "-A FORWARD -j DROP | is of none of the formats that are known, asa, aws, "
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
}
