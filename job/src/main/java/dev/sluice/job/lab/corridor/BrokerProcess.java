package dev.sluice.job.lab.corridor;

import dev.sluice.job.SluiceException;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** {@code sluice broker} in a process of its own; the job runs in this one. */
final class BrokerProcess implements Site {
    private static final Pattern ADDRESS = Pattern.compile("Kafka broker at (\\S+), data in .*");

    private final SluiceProcess process;
    private final String bootstrap;

    /**
     * Starts a broker and waits until it serves.
     *
     * @param folder for its data and its log
     * @throws SluiceException if it does not start, with its log
     */
    BrokerProcess(Path folder, int heapMegabytes) {
        process =
                new SluiceProcess(
                        folder.resolve("broker.log"),
                        heapMegabytes,
                        List.of(
                                "broker",
                                "--port",
                                "0",
                                "--data",
                                folder.resolve("broker").toString()));
        try {
            String line = process.line();
            Matcher address = ADDRESS.matcher(line);
            if (!address.matches()) {
                throw new SluiceException("sluice broker says '" + line + "' and no address");
            }
            bootstrap = address.group(1);
        } catch (SluiceException e) {
            process.close();
            throw e;
        }
    }

    @Override
    public String bootstrap() {
        return bootstrap;
    }

    @Override
    public List<ProcessHandle> brokers() {
        return List.of(process.handle());
    }

    @Override
    public List<ProcessHandle> workers() {
        return List.of();
    }

    @Override
    public Contender job(SluiceContender job) {
        return job;
    }

    @Override
    public void close() {
        process.close();
    }
}
