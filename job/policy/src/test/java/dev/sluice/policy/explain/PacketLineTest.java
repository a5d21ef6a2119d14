package dev.sluice.policy.explain;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.policy.io.SluiceException;
import dev.sluice.policy.model.AskedFacts;
import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.ConnectionState;
import dev.sluice.policy.model.HeaderValues;
import dev.sluice.policy.questions.PacketWords;
import dev.sluice.policy.testing.RandomPolicies;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.FieldBits;
import dev.sluice.schemas.header.HeaderWord;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class PacketLineTest {
    private static final AskedFacts ASKED =
            AskedFacts.NONE.and(
                    Stream.of("eth0", "eth+", "br0.7")
                            .map(name -> new Condition.Interface(true, name)),
                    false,
                    null);

    private static String again(String packet) {
        JudgedPacket read = PacketLine.read(packet, ASKED);
        String state = read.state() == null ? "" : " " + read.state().label();
        return PacketWords.of(read.header(), ASKED) + state;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "tcp 10.0.0.1:1234 > 10.1.0.2:443 in eth0 syn",
                "tcp 10.0.0.1:1 > 10.1.0.2:2 in eth* out br0.7 no-flags",
                "udp [2001:db8::1]:53 > [2001:db8::2]:40000 out other established",
                "icmp 10.0.0.1 > 10.1.0.2 type 3 code 4 ttl 1 length 1500",
                "icmpv6 2001:db8::1 > ff02::1 type 135 code 0",
                "tcp 10.0.0.1 > 10.1.0.2 later-fragment",
                "tcp 2001:db8::1 > 2001:db8::2 later-fragment untracked",
                "udp 10.0.0.1:5 > 10.1.0.2:6 first-fragment",
                "protocol 200 10.0.0.1 > 10.1.0.2 nw_tos 184",
                "gre 10.0.0.1 > 10.1.0.2",
                "arp in_port 3 dl_src 02:00:00:00:00:01 arp_op 1 arp_spa 10.0.0.1 arp_tpa 10.0.0.2",
                "ethertype 0x88cc dl_vlan 7",
                "tcp 10.0.0.1:1 > 10.1.0.2:2 syn,ack,ece,ns dl_src 00:00:00:00:00:00 pkt_mark 1"
            })
    void wordsComeBack(String packet) {
        assertEquals(packet, again(packet));
    }

    @ParameterizedTest
    @CsvSource({
        "in eth0 in eth0,in interface",
        "new established,state",
        "syn ack,TCP flags",
        "ttl 3 ttl 4,TTL",
        "dscp 1 tos 4,TOS",
        "first-fragment later-fragment,fragment"
    })
    void secondValueOfAFactIsRefused(String facts, String name) {
        String packet = "tcp 10.0.0.1:1 > 10.0.0.2:2 " + facts;
        SluiceException e =
                assertThrows(SluiceException.class, () -> PacketLine.read(packet, ASKED));
        String told = "says the " + name + " a second time; leave one of them out";
        assertTrue(String.valueOf(e.getMessage()).contains(told), e.getMessage());
    }

    @Test
    void wordsOfDrawnPacketsComeBack() {
        for (int seed = 0; seed < 50; seed++) {
            RandomPolicies draw = new RandomPolicies(seed).withMarks();
            Random random = new Random(seed);
            for (int i = 0; i < 200; i++) {
                int[] header = draw.header();
                boolean v6 = HeaderFields.of(header, Field.IP_VERSION) == Field.VERSION_6;
                Field.ETH_TYPE.put(header, v6 ? 0x86dd : 0x0800);
                Field.TTL.put(header, random.nextInt(256));
                Field.IP_LENGTH.put(header, random.nextInt(0x10000));
                Field.IN_INTERFACE.put(
                        header, ASKED.value(random.nextBoolean() ? "eth1" : "lo", true));
                int protocol = HeaderFields.of(header, Field.IP_PROTO);
                boolean ports = HeaderFields.of(header, Field.PORTS_PRESENT) == 1;
                if (protocol != HeaderFields.TCP || !ports) {
                    Field.TCP_FLAGS.put(header, 0); // which words do not tell
                }
                if (v6) {
                    boolean later = HeaderFields.of(header, Field.FRAGMENT) != Field.FRAGMENT_NONE;
                    Field.IPV6_EXTENSIONS.put(header, later ? Field.EXTENSION_FRAGMENT : 0);
                }
                String words = PacketWords.of(header, ASKED);
                if (!ports && !words.contains("later-fragment")) {
                    continue;
                }
                int[] read = PacketLine.read(words, ASKED).header();
                for (Field field : Field.values()) {
                    assertEquals(
                            HeaderValues.of(header, field),
                            HeaderValues.of(read, field),
                            words + ": " + field);
                }
            }
        }
    }

    @Test
    void ordinaryPacketNeedsFewWords() {
        assertEquals("tcp 10.0.0.1:50000 > 10.1.0.2:22 syn", again("tcp 10.0.0.1 to 10.1.0.2:22"));
        assertEquals(
                "tcp 10.0.0.1:50000 > 10.1.0.2:22 ack established",
                again("tcp 10.0.0.1 > 10.1.0.2:22 established"));
        assertEquals("icmp 10.0.0.1 > 10.1.0.2 type 8 code 0", again("icmp 10.0.0.1 > 10.1.0.2"));
        assertEquals(
                "udp 10.0.0.1:50000 > 10.1.0.2:53 dl_src 02:00:00:00:00:01 nw_tos 184",
                again("udp 10.0.0.1 > 10.1.0.2:53 dscp 46 mac 2:0:0:0:0:1"));
        JudgedPacket doubtful = PacketLine.read("udp 10.0.0.1 > 10.1.0.2:53 new ?", ASKED);
        assertEquals(ConnectionState.NEW, doubtful.state());
        assertEquals(64, HeaderFields.of(doubtful.header(), Field.TTL));
        assertTrue(FieldBits.isIn(doubtful.header(), Field.IP_LENGTH));
        assertEquals(HeaderWord.COUNT, doubtful.header().length);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "''|packet, column 1: '': holds no packet",
                "tcp 10.0.0.1:1 > 10.0.0.2:2 type 3|column 29: 'type': is of ICMP; write ports",
                "icmp 10.0.0.1 > 10.0.0.2 type 300|column 31: '300': is beyond 255",
                "tcq 10.0.0.1 > 10.1.0.2:4|column 1: 'tcq': is no protocol",
                "tcp 10.0.0.1:1234|column 18: '': the packet ends here; write > and the destination",
                "tcp 10.0.0.1 10.1.0.2:4|column 14: '10.1.0.2:4': write > or to",
                "tcp 10.0.0.1 > 10.1.0.256:4|column 16: '10.1.0.256'",
                "tcp 10.0.0.1 > 10.1.0.2:70000|column 25: '70000'",
                "tcp 10.0.0.1 > 10.1.0.2|the ports are missing",
                "tcp 10.0.0.1:5 > 10.1.0.2|has no port",
                "tcp 10.0.0.1 > [2001:db8::1]:4|are of one IP version",
                "udp 10.0.0.1 > 10.1.0.2:4 syn|only TCP has flags",
                "tcp 10.0.0.1 > 10.1.0.2:4 syb|column 27: 'syb': is nothing that Sluice knows",
                "tcp 10.0.0.1:5 > 10.1.0.2:4 later-fragment|a later fragment has no ports",
                "tcp 10.0.0.1 > 10.1.0.2:4 ttl 256|column 31: '256'",
                "tcp 10.0.0.1 > 10.1.0.2:4 in|write the name of an interface"
            })
    void wrongPacketIsRefusedWithItsColumn(String packet, String problem) {
        SluiceException refused =
                assertThrows(SluiceException.class, () -> PacketLine.read(packet, ASKED));
        String message = String.valueOf(refused.getMessage());
        assertTrue(message.contains(problem), message);
        assertTrue(message.endsWith(PacketLine.EXAMPLE), message);
        assertEquals(1, List.of(message.split("\n", -1)).size());
    }
}
