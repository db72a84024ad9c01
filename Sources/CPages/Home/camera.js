import {find} from './dom.js'

/** Shows the camera until a picture is taken or the camera is closed. Returns a JPEG, or null. */
export async function openCamera() {
  const stream = await navigator.mediaDevices.getUserMedia({video: {facingMode: 'user'}})
  const [view, video] = [find('camera'), find('viewfinder')]
  video.srcObject = stream
  view.hidden = false
  find('shoot').focus()
  try {
    return await new Promise(resolve => {
      find('shoot').onclick = () => resolve(picture(video))
      find('close-camera').onclick = () => resolve(null)
    })
  } finally {
    view.hidden = true
    for (const track of stream.getTracks()) track.stop()
  }
}

function picture(video) {
  const canvas = document.createElement('canvas')
  canvas.width = video.videoWidth
  canvas.height = video.videoHeight
  canvas.getContext('2d').drawImage(video, 0, 0)
  return new Promise(resolve => canvas.toBlob(resolve, 'image/jpeg', 0.9))
}
