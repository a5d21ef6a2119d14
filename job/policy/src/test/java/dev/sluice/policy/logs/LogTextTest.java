package dev.sluice.policy.logs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.policy.model.AskedFacts;
import dev.sluice.policy.questions.PacketWords;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.testing.TestData;
import dev.sluice.schemas.testing.TestSeed;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Lines as a kernel wrote them are read to the field, and no text makes the parser fail. */
class LogTextTest {
    private static final String SYN =
            "[7.1] drop: IN=eth0 OUT= MAC=02:00:00:00:00:01:02:00:00:00:00:aa:08:00 SRC=10.0.0.7 DST=10.0.0.1 LEN=60 TOS=0x10 PREC=0x20 TTL=61 ID=1357 DF PROTO=TCP SPT=58090 DPT=22 WINDOW=64 RES=0x04 ECE SYN URGP=0 MARK=0x1f ";

    @Test
    void eachFieldOfALineIsInTheHeader() throws Exception {
        LoggedPacket packet = LogText.parse(SYN);
        assertNotNull(packet);
        assertEquals("[7.1] drop: ", packet.before());
        assertEquals("eth0", packet.in());
        assertEquals("", packet.out());
        assertEquals(
                "tcp 10.0.0.7:58090 > 10.0.0.1:22 syn,ece,ns dl_src 02:00:00:00:00:aa dl_dst 02:00:00:00:00:01 nw_tos 48 ip_id 1357 pkt_mark 31 ttl 61",
                words(packet));
        assertEquals(60, of(packet, Field.IP_LENGTH));
    }

    private static String words(LoggedPacket packet) {
        return PacketWords.of(packet.header(), AskedFacts.NONE);
    }

    private static int of(LoggedPacket packet, Field field) {
        return field.extract(packet.header()[field.word()]);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "MF PROTO=UDP SPT=53 DPT=99 LEN=24 | udp 10.0.0.7:53 > 10.0.0.1:99 first-fragment ip_id 0 pkt_mark 0",
                "FRAG:100 PROTO=UDP | udp 10.0.0.7 > 10.0.0.1 later-fragment ip_id 0 pkt_mark 0",
                "PROTO=UDP INCOMPLETE [4 bytes] | udp 10.0.0.7 > 10.0.0.1 ip_id 0 pkt_mark 0",
                "PROTO=ICMP TYPE=8 CODE=0 ID=1 SEQ=1 | icmp 10.0.0.7 > 10.0.0.1 type 8 code 0 ip_id 0 pkt_mark 0",
                "PROTO=ICMP TYPE=13 CODE=0 INCOMPLETE [16 bytes] | icmp 10.0.0.7 > 10.0.0.1 type 13 code 0 ip_id 0 pkt_mark 0",
                "PROTO=ICMP TYPE=3 CODE=1 [SRC=1.2.3.4 DST=5.6.7.8 LEN=40 TOS=0x00 PREC=0x00 TTL=9 ID=2 PROTO=TCP INCOMPLETE [8 bytes] ] MARK=0x5 | icmp 10.0.0.7 > 10.0.0.1 type 3 code 1 ip_id 0 pkt_mark 5",
                "PROTO=ESP SPI=0x10 | esp 10.0.0.7 > 10.0.0.1 spi 16 ip_id 0 pkt_mark 0",
                "PROTO=47 | gre 10.0.0.7 > 10.0.0.1 ip_id 0 pkt_mark 0",
            })
    void packetsOfAllKindsAreRead(String end, String words) throws Exception {
        LoggedPacket packet =
                LogText.parse(
                        "x IN=a OUT=b SRC=10.0.0.7 DST=10.0.0.1 LEN=60 TOS=0x00 PREC=0x00 TTL=64 ID=0 "
                                + end
                                + " ");
        assertNotNull(packet);
        assertEquals(words, words(packet));
    }

    @Test
    void fragmentsOfIpv6AreRead() throws Exception {
        String begin =
                "IN=a OUT= MAC= SRC=2001:0db8:0000:0000:0000:0000:0000:0001 DST=2001:0db8:0000:0000:0000:0000:0000:0002 LEN=60 TC=184 HOPLIMIT=64 FLOWLBL=0 ";
        LoggedPacket first =
                LogText.parse(begin + "FRAG:0 INCOMPLETE ID:0000000a PROTO=UDP SPT=1 DPT=2 LEN=9 ");
        LoggedPacket later = LogText.parse(begin + "FRAG:8 ID:0000000a PROTO=UDP ");
        assertNotNull(first);
        assertNotNull(later);
        assertEquals(
                "udp [2001:db8::1]:1 > [2001:db8::2]:2 first-fragment nw_tos 184 ip_id 10 ipv6_exthdr 0 pkt_mark 0",
                words(first));
        assertEquals(
                "udp 2001:db8::1 > 2001:db8::2 later-fragment nw_tos 184 ip_id 10 ipv6_exthdr 0 pkt_mark 0",
                words(later));
    }

    @Test
    void portsThatTheLogHidesAreTold() throws Exception {
        LoggedPacket packet =
                LogText.parse(
                        "IN=a OUT= SRC=10.0.0.7 DST=10.0.0.1 LEN=60 TOS=0x00 PREC=0x00 TTL=64 ID=0 PROTO=132 ");
        assertNotNull(packet);
        assertEquals("the log names no ports of protocol 132", packet.undecided());
    }

    @Test
    void otherLinesAreNoPackets() throws Exception {
        for (String line :
                List.of(
                        "",
                        "IN=",
                        "sshd[7]: Failed password for root from 10.0.0.7 port 22",
                        "usb: PLUGIN=x OUTPUT=y",
                        "IN=aNameThatIsMuchTooLong OUT=b SRC=1.2.3.4")) {
            assertNull(LogText.parse(line), line);
        }
    }

    @Test
    void aLineThatIsCutShortIsRefused() {
        int accepted = 0;
        int from = SYN.indexOf("SRC=");
        for (int end = from; end < SYN.indexOf("URGP"); end++) {
            String cut = SYN.substring(0, end);
            assertThrows(LogLineException.class, () -> LogText.parse(cut), cut);
            accepted++;
        }
        assertTrue(accepted > 100);
    }

    @Test
    void noTextMakesTheParserFail() throws IOException {
        Random random = TestSeed.random(3141);
        List<String> lines = Files.readAllLines(TestData.inCheckout("test-data/logs/host.log"));
        int read = 0;
        for (int i = 0; i < 20_000; i++) {
            StringBuilder line = new StringBuilder(lines.get(random.nextInt(lines.size())));
            for (int edit = random.nextInt(4); edit >= 0; edit--) {
                int at = random.nextInt(line.length());
                switch (random.nextInt(3)) {
                    case 0 -> line.setCharAt(at, (char) random.nextInt(0x180));
                    case 1 -> line.deleteCharAt(at);
                    default -> line.insert(at, "[] =:0x9-".charAt(random.nextInt(9)));
                }
            }
            try {
                read += LogText.parse(line.toString()) == null ? 0 : 1;
            } catch (LogLineException e) {
                assertTrue(String.valueOf(e.getMessage()).length() < 200);
            }
        }
        assertTrue(read > 5000, read + " lines");
    }

    @Test
    void aLineOfAMillionLettersIsReadInNoTime() throws Exception {
        assertNull(LogText.parse("IN=".repeat(300_000)));
        assertThrows(
                LogLineException.class,
                () -> LogText.parse("IN=a OUT= " + "SRC=1.2.3.4[ ".repeat(80_000)));
    }
}
