package dev.sluice.job.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.Sluice;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class BrokerCommandITCase {
    private static final Pattern ADDRESS = Pattern.compile("Kafka broker at (localhost:\\d+), ");

    @TempDir private Path folder;

    private static String address(Sluice.Running broker) {
        broker.await(() -> broker.out().contains("sluice verdicts --follow"));
        Matcher address = ADDRESS.matcher(broker.out());
        assertTrue(address.find(), broker.out());
        return address.group(1);
    }

    @Test
    void aBrokerGoesOnWithTheTopicsOfTheOneBefore() throws Exception {
        Path data = folder.resolve("kept/data");
        Path rules = Files.write(folder.resolve("r.ovs"), List.of("tcp,actions=drop"));
        try (Sluice.Running broker = new Sluice.Running("broker", "--data", data, "--port", 0)) {
            String address = address(broker);
            assertTrue(
                    broker.out().contains("sluice run --create-topics --bootstrap " + address),
                    broker.out());
            Sluice publish =
                    Sluice.run("rules", "publish", "--rules", rules, "--bootstrap", address);
            assertEquals(0, publish.status(), publish.err());
        }
        try (Sluice.Running broker = new Sluice.Running("broker", "--data", data, "--port", 0)) {
            Sluice shown = Sluice.run("rules", "show", "--bootstrap", address(broker));
            assertTrue(shown.out().contains("tcp,actions=drop"), shown.out() + shown.err());
        }
    }

    @Test
    void aFolderIsOneBrokersAlone() throws Exception {
        try (Sluice.Running broker = new Sluice.Running("broker", "--data", folder, "--port", 0)) {
            address(broker);
            Sluice other = Sluice.run("broker", "--data", folder, "--port", 0);
            assertEquals(1, other.status());
            Sluice listed = Sluice.run("rules", "log", "--bootstrap", address(broker));
            assertTrue(listed.err().contains("does not exist"), listed.err());
            assertTrue(other.err().contains("is in use by another broker"), other.err());
        }
    }

    @Test
    void itSaysThatItsDataStays() throws Exception {
        Sluice.Running broker = new Sluice.Running("broker", "--data", folder, "--port", 0);
        try (broker) {
            address(broker);
        }
        assertTrue(broker.err().contains("the broker has stopped; its data stays in "));
    }

    @Test
    void anAddressThatNobodyReachesIsRefused() {
        Sluice run = Sluice.run("broker", "--data", folder, "--host", "0.0.0.0");
        assertEquals(UsageErrors.STATUS, run.status());
        assertTrue(run.err().contains("--host 0.0.0.0 is no address that clients reach"));
    }
}
