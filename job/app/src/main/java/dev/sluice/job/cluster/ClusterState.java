package dev.sluice.job.cluster;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.DatabindException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.policy.TextFiles;
import dev.sluice.policy.io.SluiceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A cluster that was started, as {@code cluster.json} in its folder says it.
 *
 * @param host address that it listens on
 * @param webPort of the web interface, which takes jobs, too
 * @param bootstrap its broker, or the one it was told
 * @param taskManagers how many there are to be
 * @param slots of each TaskManager
 * @param members processes in the order in which they were started
 */
public record ClusterState(
        String host,
        int webPort,
        String bootstrap,
        int taskManagers,
        int slots,
        List<Member> members) {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** Copies the list; what a file leaves out is refused. */
    public ClusterState {
        Objects.requireNonNull(host);
        Objects.requireNonNull(bootstrap);
        members = List.copyOf(members);
    }

    /**
     * What a folder says.
     *
     * @return empty if no cluster was started there, or the last one was ended
     * @throws SluiceException if the file cannot be read
     */
    public static Optional<ClusterState> read(ClusterFolder folder) {
        Path file = folder.state();
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        try {
            ClusterState state = JSON.readValue(Files.readAllBytes(file), ClusterState.class);
            if (state == null) { // the file says null
                throw new SluiceException(noState(file));
            }
            return Optional.of(state);
        } catch (DatabindException e) {
            throw new SluiceException(noState(file), e);
        } catch (JacksonException e) {
            throw new SluiceException(
                    "%s is broken: %s; end the processes that it names, and delete it"
                            .formatted(file, e.getOriginalMessage()),
                    e);
        } catch (IOException e) {
            throw new SluiceException(TextFiles.describe("file", file, e), e);
        }
    }

    private static String noState(Path file) {
        return file
                + " is no state of a cluster; name another folder, or move the file away if no cluster runs in this one";
    }

    /** Writes it into a folder, whole or not at all. */
    void write(ClusterFolder folder) {
        Path file = folder.state();
        Path next = file.resolveSibling(file.getFileName() + ".next");
        try {
            Files.write(next, JSON.writerWithDefaultPrettyPrinter().writeValueAsBytes(this));
            Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new SluiceException(
                    "%s cannot be written: %s".formatted(file, e.getMessage()), e);
        }
    }

    /** Says that no cluster is up in a folder. */
    static void delete(ClusterFolder folder) {
        try {
            Files.deleteIfExists(folder.state());
        } catch (IOException e) {
            throw new SluiceException(
                    "%s cannot be deleted: %s".formatted(folder.state(), e.getMessage()), e);
        }
    }

    /** The process of a role. */
    public Optional<Member> member(String role) {
        return members.stream().filter(member -> member.role().equals(role)).findFirst();
    }

    /** This cluster with one process more, or in place of the one of its role. */
    ClusterState with(Member member) {
        List<Member> more = new ArrayList<>(members);
        if (member(member.role()).isPresent()) {
            more.replaceAll(before -> before.role().equals(member.role()) ? member : before);
        } else {
            more.add(member);
        }
        return new ClusterState(host, webPort, bootstrap, taskManagers, slots, more);
    }

    /** Address of the web interface and of REST. */
    public String web() {
        return "http://" + host + ":" + webPort;
    }

    /** Slots of all TaskManagers. */
    public int allSlots() {
        return taskManagers * slots;
    }
}
