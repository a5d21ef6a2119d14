import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.MiniDFSCluster;

/**
 * A file system of Hadoop's on this machine, run from its source by a process of its own, since
 * Hadoop is on no class path of the build. Keeps its data in the folder that it is given, prints its
 * address, and copies for each line FROM, TO of standard input a file or folder from where the first
 * URI says to where the second does.
 */
class HdfsNode {
    public static void main(String[] words) throws Exception {
        Configuration config = new Configuration();
        try (MiniDFSCluster cluster =
                new MiniDFSCluster.Builder(config, new File(words[0])).numDataNodes(1).build()) {
            cluster.waitActive();
            System.out.println(cluster.getURI());
            BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                String[] paths = line.split("\t");
                Path from = new Path(paths[0]);
                Path to = new Path(paths[1]);
                FileSystem source = from.getFileSystem(config);
                FileSystem target = to.getFileSystem(config);
                org.apache.hadoop.fs.FileUtil.copy(source, from, target, to, false, config);
                System.out.println("copied");
            }
        }
    }
}
