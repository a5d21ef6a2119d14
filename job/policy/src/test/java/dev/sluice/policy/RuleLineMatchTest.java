package dev.sluice.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.rules.Match;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.FieldBits;
import dev.sluice.schemas.header.HeaderWord;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Headers that a line of a rule file matches. */
class RuleLineMatchTest {
    @TempDir Path folder;

    private Match one(String line) throws IOException {
        return RuleLines.one(folder, line);
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
}
