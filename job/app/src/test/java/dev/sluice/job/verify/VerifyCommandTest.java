package dev.sluice.job.verify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.JsonPage;
import dev.sluice.job.Sluice;
import dev.sluice.schemas.testing.TestData;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Logs of test-data/logs, which a kernel wrote, against the policies that it held. */
class VerifyCommandTest {
    @TempDir Path folder;

    private static Path data(String name) {
        return TestData.inCheckout("test-data/logs/" + name);
    }

    private Path edited(String name, String line, String other) throws IOException {
        String text = Files.readString(data(name));
        assertTrue(text.contains(line), line);
        return Files.writeString(folder.resolve(name), text.replace(line, other));
    }

    @ParameterizedTest
    @CsvSource({
        "host.log,host.save,88 lines: 68 agree; 20 are of the other IP version",
        "host.log,host6.save,88 lines: 20 agree; 68 are of the other IP version",
        "gateway.log,gateway.nft,72 lines: 72 agree",
        "host.nflog.pcap.gz,host.save,68 lines: 52 agree; 16 are of the other IP version",
        "host.nflog.pcap.gz,host6.save,68 lines: 16 agree; 52 are of the other IP version",
        "gateway.nflog.pcap.gz,gateway.nft,17 lines: 17 agree",
    })
    void aKernelsLogAgreesWithItsPolicy(String log, String rules, String counts) {
        Sluice run =
                Sluice.ok(
                        "verify",
                        "--log",
                        data(log),
                        "--rules",
                        data(rules),
                        "--interfaces",
                        data(log.replaceFirst("\\..*", ".interfaces")));
        assertEquals(1, run.out().lines().count(), run.out());
        assertTrue(run.err().contains(counts.replace(';', ',')), run.err());
    }

    @Test
    void anEditedLineIsNamedWithTheLineOfTheLog() throws IOException {
        Path other = edited("host.save", "--dports 80,443", "--dports 80,443,8080");
        Sluice run = Sluice.run("verify", "--log", data("host.log"), "--rules", other);
        assertEquals(1, run.status(), run.err());
        String row = run.out().lines().skip(1).findFirst().orElseThrow();
        String[] cells = row.split("\t");
        assertEquals("not-reached", cells[0]);
        String line = Files.readAllLines(data("host.log")).get(Integer.parseInt(cells[1]) - 1);
        assertTrue(line.contains("DROP: IN=eth0 OUT= ") && line.contains(" DPT=8080 "), line);
        assertEquals(
                "25\tINPUT\tpermit\t11", String.join("\t", cells[2], cells[3], cells[4], cells[5]));
        assertTrue(row.endsWith("--dports 80,443,8080 -j ACCEPT"), row);
    }

    @Test
    void anEditOfWhatAGroupLogsIsFoundInItsCapture() throws IOException {
        Path other = edited("host.save", "-s 192.0.2.0/24 -j NFLOG", "-s 192.0.2.0/30 -j NFLOG");
        Sluice run =
                Sluice.run(
                        "verify",
                        "--log",
                        data("host.nflog.pcap.gz"),
                        "--rules",
                        other,
                        "--interfaces",
                        data("host.interfaces"));
        assertEquals(1, run.status(), run.err());
        assertTrue(run.out().contains("not-reached\t"), run.out());
    }

    @Test
    void topListsTheFirstFindingsAndCountsTheOthers() throws IOException {
        Path other = edited("host.save", "\"DROP: \"", "\"DROPS: \"");
        Object[] asked = {"verify", "--log", data("host.log"), "--rules", other, "--top", 2};
        Sluice run = Sluice.run(asked);
        assertEquals(1, run.status(), run.err());
        assertEquals(3, run.out().lines().count(), run.out());
        assertTrue(run.err().contains("have a prefix of no rule"), run.err());
        assertTrue(run.err().contains("2 of 35 findings listed; raise --top"), run.err());
    }

    @Test
    void jsonTellsEachFinding() throws IOException {
        Path other = edited("host.save", "\"DROP: \"", "\"DROPS: \"");
        Sluice run =
                Sluice.run(
                        "verify", "--log", data("host.log"), "--rules", other, "--all", "--json");
        assertEquals(1, run.status(), run.err());
        assertTrue(run.out().contains("no rule logs with 'DROP: '"), run.out());
        JsonPage.assertTells("verify", run.out());
    }

    @Test
    void linesThatCannotBeJudgedAreCountedWithTheirReason() throws IOException {
        String text =
                "Nov 29 gw sshd[7]: hello\n"
                        + "[1.5] DROP: IN=eth0 OUT= ARP HTYPE=1 PTYPE=0x0800 OPCODE=1\n"
                        + "[1.6] DROP: IN=eth0 OUT= SRC=10.0.0.1 DST=10\n".repeat(2)
                        + Files.readString(data("host.log"));
        Path log = folder.resolve("messages.gz");
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(log))) {
            out.write(text.getBytes(StandardCharsets.UTF_8));
        }
        Sluice run = Sluice.ok("verify", "--log", log, "--rules", data("host.save"));
        assertTrue(run.err().contains("messages.gz:2: is of ARP"), run.err());
        assertTrue(run.err().contains("messages.gz:3: 10 is no address"), run.err());
        assertTrue(run.err().contains(" (and 1 more)"), run.err());
        assertTrue(run.err().contains("91 logged packets in 92 lines: 68 agree"), run.err());
        assertTrue(run.err().contains("; 3 left out, for the reasons above"), run.err());
    }

    @Test
    void aCaptureThatIsCutShortIsTold() throws IOException {
        byte[] whole;
        try (GZIPInputStream in =
                new GZIPInputStream(Files.newInputStream(data("host.nflog.pcap.gz")))) {
            whole = in.readAllBytes();
        }
        for (int length = whole.length - 1; length > 40; length -= 97) {
            Path cut = Files.write(folder.resolve("cut.pcap"), Arrays.copyOf(whole, length));
            Sluice run =
                    Sluice.run(
                            "verify",
                            "--log",
                            cut,
                            "--rules",
                            data("host.save"),
                            "--interfaces",
                            data("host.interfaces"));
            assertEquals(1, run.status(), length + ": " + run.err());
            assertTrue(
                    run.err().contains("cut.pcap") || run.err().contains("no packet to compare"),
                    run.err());
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "host.save | host.save | no packet to compare",
                "none.log | host.save | none.log does not exist",
                "host.log | none.save | none.save does not exist",
                "../office/office.pcapng.gz | ../logs/host.save | is of link type 1; logs are captures of an nflog interface",
                "host.log | ../office/office.ovs | holds rules that stand for themselves",
            })
    void otherFilesAreRefusedWithARemedy(String log, String rules, String words) {
        Path logs = data("host.log").resolveSibling(log);
        Sluice run = Sluice.run("verify", "--log", logs, "--rules", logs.resolveSibling(rules));
        assertEquals(1, run.status(), run.out());
        assertTrue(run.err().contains(words), run.err());
    }

    @Test
    void oneHookOfAFileIsRefused() {
        Sluice run =
                Sluice.run(
                        "verify",
                        "--log",
                        data("host.log"),
                        "--rules",
                        data("host.save") + "#INPUT");
        assertEquals(2, run.status(), run.err());
        assertTrue(run.err().contains("leave out #HOOK"), run.err());
    }

    @Test
    void aPolicyThatLogsNothingIsRefused() throws IOException {
        Path policy =
                Files.writeString(
                        folder.resolve("silent.save"), "*filter\n:INPUT DROP [0:0]\nCOMMIT\n");
        Sluice run = Sluice.run("verify", "--log", data("host.log"), "--rules", policy);
        assertEquals(1, run.status(), run.out());
        assertTrue(run.err().contains("no rule of it logs"), run.err());
    }
}
